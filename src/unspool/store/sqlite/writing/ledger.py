"""Usage rows -> the ledger, one row for each response, and its sums by quarters of an hour."""

from array import array
from collections.abc import Iterable, Iterator, Sequence

import apsw

from unspool.derive.usage.responses import QUARTER, is_used, merge_rows, merge_usage
from unspool.model.usage import OwnedUsage, Price, Tokens, UsageRow
from unspool.store.sqlite.connection import ReaderPool, Row
from unspool.store.sqlite.functions import crc
from unspool.store.sqlite.writing.strings import StringTable

SUM = """
    INSERT INTO total
    SELECT session, quarter, agent, model, sum(input_tokens), sum(output_tokens),
        sum(cache_read_tokens), sum(cache_creation_tokens), sum(web_searches),
        coalesce(sum(usd_pico), 0), sum(usd_pico IS NULL), sum(NOT is_finished), count(*),
        min(coalesce(timestamp, 0)), max(coalesce(timestamp, 0))
    FROM response WHERE NOT (is_finished AND message_key GLOB 'a:*')
"""
_SUMMED = (
    "input_tokens output_tokens cache_read_tokens cache_creation_tokens web_searches usd_pico"
    " unpriced lower_bound responses".split()
)
_ADD_TOTAL = f"""
    INSERT INTO total VALUES ({", ".join("?" * 15)}) ON CONFLICT DO UPDATE SET
        {", ".join(f"{name} = {name} + excluded.{name}" for name in _SUMMED)},
        first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
"""  # noqa: S608


class Sums:
    """What one commit changes; a cell is a row's session, quarter, agent and model."""

    def __init__(self) -> None:
        self._cells: dict[Row, tuple[int, ...]] = {}
        self._times: dict[Row, tuple[int, int]] = {}
        self._again: set[tuple[int, int]] = set()

    def add(self, row: Row) -> None:
        """A response that is new in the ledger."""
        self._count(row, _counts(row))

    def change(self, before: Row, row: Row, *, is_used: bool) -> None:
        """A response that was there; if it moved or went, its quarters are summed again."""
        if is_used and (_cell(before), _at(before)) == (_cell(row), _at(row)):
            self._count(
                row, [new - old for new, old in zip(_counts(row), _counts(before), strict=True)]
            )
        else:
            self._again |= {_cell(one)[:2] for one in (before, row)}

    def _count(self, row: Row, counts: Sequence[int]) -> None:
        cell, at = _cell(row), _at(row)
        known = self._cells.get(cell)
        self._cells[cell] = (
            tuple(map(sum, zip(known, counts, strict=True))) if known else (*counts,)
        )
        first, last = self._times.get(cell, (at, at))
        self._times[cell] = min(first, at), max(last, at)

    def write(self, connection: apsw.Connection) -> None:
        """Bring the sums up to date with the ledger, whose rows are there already."""
        connection.executemany("DELETE FROM total WHERE session = ? AND quarter = ?", self._again)
        connection.executemany(
            f"{SUM} AND session = ? AND quarter = ? GROUP BY 1, 2, 3, 4", self._again
        )
        connection.executemany(
            _ADD_TOTAL,
            [
                (*cell, *counts, *self._times[cell])
                for cell, counts in self._cells.items()
                if cell[:2] not in self._again
            ],
        )


def _cell(row: Row) -> tuple[int, int, int, int]:
    return row[16], _at(row) // QUARTER if _at(row) > 0 else 0, row[17], row[5]


def _at(row: Row) -> int:
    return row[3] or 0


def _counts(row: Row) -> list[int]:
    pico = row[15]
    return [*row[6:10], row[12], pico or 0, pico is None, not row[4], 1]


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


class LedgerTable:
    """The ledger of one writer; every method runs inside the writer's transaction."""

    def __init__(self, connection: apsw.Connection, words: StringTable) -> None:
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
                if is_used(owned.row):
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
                sums.change(before, row, is_used=is_used(now.row))
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
        """Price every response again; whether any figure changed."""
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


def owners(readers: ReaderPool, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Project and session that each of these responses counts for."""
    wanted = set(keys)
    if not wanted:
        return {}  # an empty array is no array to the database
    names = apsw.carray(array("q", {crc(key) for key in wanted}))
    found = readers.every(_OWNERS, (names,))
    return {key: (project, session) for key, project, session in found if key in wanted}


def responses(readers: ReaderPool, project_id: str, session_id: str) -> list[UsageRow]:
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
