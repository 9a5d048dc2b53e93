"""Usage rows -> the ledger, one row for each response, and its sums by quarters of an hour."""

from collections.abc import Iterable
from typing import Final

from unspool.derive.usage.responses import QUARTER, is_used, merge_rows, merge_usage
from unspool.model.query import SessionKey
from unspool.model.usage import OwnedUsage, Price, Tokens, UsageRow
from unspool.store.postgres.database import Row
from unspool.store.postgres.writing.sources import SessionTable
from unspool.store.postgres.writing.transaction import COLUMNS, Transaction

# What is read of a response, in the order of `owned`.
OWNED: Final = """
    SELECT r.response, e.project_id, e.session_id, r.message_key, r.rank, r.claim, r.timestamp,
        r.is_finished, r.model, r.agent_id, coalesce(r.line, 0), r.usd_pico,
        r.input_tokens, r.output_tokens, r.cache_read_tokens, r.cache_creation_tokens,
        r.cache_creation_5m, r.cache_creation_1h, r.web_searches, r.speed, r.geo
    FROM response AS r JOIN session AS e ON e.owner = r.owner AND e.session = r.session
"""
_FIND: Final = f"{OWNED} WHERE r.owner = %(owner)s AND r.message_key = ANY(%(keys)s)"
_PAGE: Final = f"""{OWNED}
    WHERE r.owner = %(owner)s AND r.message_key > %(after)s ORDER BY r.message_key LIMIT 5000
"""
_NAMES: Final = COLUMNS["response"].split(", ")[1:]
_CHANGE: Final = f"""
    UPDATE response SET {", ".join(f"{name} = %({name})s" for name in _NAMES)}
    WHERE owner = %(owner)s AND message_key = %(message_key)s
"""  # noqa: S608
_SUM: Final = """
    INSERT INTO total
    SELECT owner, session, quarter, agent_id, model, sum(input_tokens), sum(output_tokens),
        sum(cache_read_tokens), sum(cache_creation_tokens), sum(web_searches),
        coalesce(sum(usd_pico), 0), count(*) FILTER (WHERE usd_pico IS NULL),
        count(*) FILTER (WHERE NOT is_finished), count(*),
        min(coalesce(timestamp, 0)), max(coalesce(timestamp, 0))
    FROM response WHERE is_used AND {} GROUP BY 1, 2, 3, 4, 5
"""
_CELLS: Final = """
    (owner, session, quarter) IN (
        SELECT * FROM unnest(%s::int[], %s::bigint[], %s::bigint[]))
"""
# A few hundred responses are added up again, so that nothing can drift.
_SUM_AGAIN: Final = f"DELETE FROM total WHERE {_CELLS}", _SUM.format(_CELLS)  # noqa: S608
_MODEL: Final = """
    INSERT INTO model (owner, model, lowered) VALUES (%(owner)s, %(model)s, %(lowered)s)
    ON CONFLICT DO NOTHING
"""
_REPRICE: Final = """
    UPDATE response AS r SET usd_pico = n.pico
    FROM unnest(%(keys)s::text[], %(picos)s::numeric[]) AS n (key, pico)
    WHERE r.owner = %(owner)s AND r.message_key = n.key
"""

_Cells = set[tuple[int, int]]  # session and quarter


class ResponseTable:
    """The ledger in one transaction. How rows are merged is not decided here."""

    def __init__(self, transaction: Transaction, sessions: SessionTable) -> None:
        self._transaction, self._sessions = transaction, sessions

    def put(self, rows: Iterable[OwnedUsage], price: Price) -> set[SessionKey]:
        """Take rows in; the sessions that no longer own one of theirs."""
        best = merge_rows(rows)
        losers = set[SessionKey]()
        if not best:
            return losers
        cells, known = _Cells(), self._known(best)
        for key, mine in best.items():
            number, old = known.get(key, (0, mine))
            now = merge_usage(old, mine) if number else mine
            is_moved = now[:2] != old[:2]
            if is_moved:
                losers.add(old[:2])
            if number and now.row == old.row._replace(usd_pico=None) and not is_moved:
                continue
            cells |= {self._cell(old), self._cell(now)}
            self._write(number, now, price(now.row))
        self._transaction.add_up(_SUM_AGAIN, cells)
        return losers

    def _known(self, keys: Iterable[str]) -> dict[str, tuple[int, OwnedUsage]]:
        found = map(owned, self._transaction.run(_FIND, keys=list(keys)))
        return {one.row.message_key: (number, one) for number, one in found}

    def _write(self, number: int, now: OwnedUsage, pico: int | None) -> None:
        row, transaction = now.row, self._transaction
        session, quarter = self._cell(now)
        values: Row = (
            row.message_key,
            row.rank,
            row.claim,
            row.timestamp,
            row.is_finished,
            is_used(row),
            row.model,
            *row.tokens,
            pico,
            session,
            row.agent_id,
            row.line_id or None,
            quarter,
        )
        if number:
            transaction.later(_CHANGE, **dict(zip(_NAMES, values, strict=True)))
        else:
            transaction.copy("response", [values])
        transaction.later(_MODEL, model=row.model, lowered=row.model.lower())

    def _cell(self, one: OwnedUsage) -> tuple[int, int]:
        quarter = max(0, one.row.timestamp or 0) // QUARTER
        return self._sessions.number((one.project_id, one.session_id)), quarter

    def reprice(self, price: Price) -> bool:
        """Price every response again; whether any figure changed."""
        after, has_moved = "", False
        while rows := self._transaction.run(_PAGE, after=after):
            every = [one.row for _, one in map(owned, rows)]
            moved = {row.message_key: pico for row in every if (pico := price(row)) != row.usd_pico}
            if moved:
                self._transaction.run(_REPRICE, keys=list(moved), picos=list(moved.values()))
            after, has_moved = every[-1].message_key, has_moved or bool(moved)
        if has_moved:
            self._transaction.run("DELETE FROM total WHERE owner = %(owner)s")
            self._transaction.run(_SUM.format("owner = %(owner)s"))
        return has_moved


def owned(row: Row) -> tuple[int, OwnedUsage]:
    """The number of a response, and the response."""
    number, project_id, session_id, key, rank, claim, at, finished, model, *rest = row
    agent, line, pico, *tokens = rest
    usage = UsageRow(key, rank, claim, at, finished, model, Tokens(*tokens), agent, line, pico)
    return number, OwnedUsage(project_id, session_id, usage)
