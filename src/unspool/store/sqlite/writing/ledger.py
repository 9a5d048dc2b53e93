"""Usage rows -> the ledger, one row for each response, and its sums by quarters of an hour."""

from array import array
from collections.abc import Iterable, Iterator

import apsw

from unspool.derive.usage.responses import merge_rows, merge_usage
from unspool.model.usage import OwnedUsage, Price, Tokens, UsageRow
from unspool.store.sqlite.connection import Readers, Row
from unspool.store.sqlite.functions import crc
from unspool.store.sqlite.writing.sums import SUM, Sums
from unspool.store.sqlite.writing.words import Words

_FIND = """
    SELECT r.id, e.project_id, e.session_id, r.message_key, r.rank, r.claim, r.timestamp,
        r.is_finished, m.text, a.text, coalesce(r.line, 0), r.usd_pico,
        r.input_tokens, r.output_tokens, r.cache_read_tokens, r.cache_creation_tokens,
        r.cache_creation_5m, r.cache_creation_1h, r.web_searches, s.text, g.text
    FROM response AS r
    CROSS JOIN session AS e ON e.id = r.session
    CROSS JOIN word AS m ON m.id = r.model
    CROSS JOIN word AS s ON s.id = r.speed
    CROSS JOIN word AS g ON g.id = r.geo
    CROSS JOIN word AS a ON a.id = r.agent
"""
_FIND_MANY = _FIND.replace(
    "FROM response AS r", "FROM carray(?) AS asked CROSS JOIN response AS r ON r.crc = asked.value"
)
_FIND_SESSION = _FIND.replace(
    "FROM response AS r\n    CROSS JOIN session AS e ON e.id = r.session",
    "FROM session AS e CROSS JOIN response AS r ON r.session = e.id",
)
_OWNERS = """
    SELECT r.message_key, e.project_id, e.session_id
    FROM carray(?) AS asked CROSS JOIN response AS r ON r.crc = asked.value
    CROSS JOIN session AS e ON e.id = r.session
"""
_COLUMNS = (
    "message_key, rank, claim, timestamp, is_finished, model, input_tokens, output_tokens,"
    " cache_read_tokens, cache_creation_tokens, cache_creation_5m, cache_creation_1h,"
    " web_searches, speed, geo, usd_pico, session, agent, line"
)
_MARKS = ", ".join("?" * 19)
_ADD = f"INSERT INTO response ({_COLUMNS}, crc) VALUES ({_MARKS}, ?)"  # noqa: S608
_CHANGE = f"UPDATE response SET ({_COLUMNS}) = ({_MARKS}) WHERE id = ?"  # noqa: S608


class Ledger:
    """The ledger of one writer; every method runs inside the writer's transaction."""

    def __init__(self, connection: apsw.Connection, words: Words) -> None:
        self._connection, self._words = connection, words

    def put(self, rows: Iterable[OwnedUsage], price: Price) -> set[tuple[str, str]]:
        """Take rows in; project and id of sessions that no longer own one of theirs."""
        best, sums = merge_rows(rows), Sums()
        losers = set[tuple[str, str]]()
        if not best:
            return losers
        known = self._known(best)
        new, changed = [], []
        for key, owned in best.items():
            if key not in known:
                row = self._row(owned, price(owned.row))
                sums.add(row)
                new.append((*row, crc(key)))
                continue
            number, old = known[key]
            now = merge_usage(old, owned)
            if now[:2] != old[:2]:
                losers.add(old[:2])
            if now.row != old.row._replace(usd_pico=None) or now[:2] != old[:2]:
                before = self._row(old, old.row.usd_pico)
                row = self._row(now, price(now.row))
                sums.change(before, row)
                changed.append((*row, number))
        self._connection.executemany(_ADD, new)
        self._connection.executemany(_CHANGE, changed)
        sums.write(self._connection)
        return losers

    def _known(self, keys: Iterable[str]) -> dict[str, tuple[int, OwnedUsage]]:
        """The responses of these keys that are in the ledger."""
        names = apsw.carray(array("q", {crc(key) for key in keys}))
        found = map(_owned, self._connection.execute(_FIND_MANY, (names,)).fetchall())
        return {owned.row.message_key: (number, owned) for number, owned in found}

    def reprice(self, price: Price) -> bool:
        """Price every response anew; whether any figure moved."""
        moved = [
            (new, number)
            for number, owned in self._all()
            if (new := price(owned.row)) != owned.row.usd_pico
        ]
        self._connection.executemany("UPDATE response SET usd_pico = ? WHERE id = ?", moved)
        if moved:
            self._connection.execute("DELETE FROM total")
            self._connection.execute(f"{SUM} GROUP BY 1, 2, 3, 4")
        return bool(moved)

    def _all(self) -> Iterator[tuple[int, OwnedUsage]]:
        return map(_owned, self._connection.execute(_FIND))

    def _row(self, owned: OwnedUsage, pico: int | None) -> Row:
        row, word = owned.row, self._words.word
        *counts, speed, geo = row.tokens
        return (
            row.message_key,
            row.rank,
            row.claim,
            row.timestamp,
            int(row.is_finished),
            word(row.model),
            *counts,
            word(speed),
            word(geo),
            pico,
            self._words.session(owned.project_id, owned.session_id),
            word(row.agent_id),
            row.line_id or None,
        )


def owners(readers: Readers, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Project and session that each of these responses counts for."""
    wanted = set(keys)
    if not wanted:
        return {}  # an empty array is no array to the database
    names = apsw.carray(array("q", {crc(key) for key in wanted}))
    found = readers.every(_OWNERS, (names,))
    return {key: (project, session) for key, project, session in found if key in wanted}


def responses(readers: Readers, project_id: str, session_id: str) -> list[UsageRow]:
    """The responses that count for a session."""
    ask = f"{_FIND_SESSION} WHERE (e.project_id, e.session_id) = (?, ?)"
    found = map(_owned, readers.every(ask, (project_id, session_id)))
    return [owned.row for _, owned in found]


def _owned(row: Row) -> tuple[int, OwnedUsage]:
    number, project_id, session_id, key, rank, claim, at, finished, model, *rest = row
    agent, line, pico, *tokens = rest
    usage = UsageRow(
        key, rank, claim, at, bool(finished), model, Tokens(*tokens), agent, line, pico
    )
    return number, OwnedUsage(project_id, session_id, usage)
