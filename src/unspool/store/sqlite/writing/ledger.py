"""Usage rows -> the ledger, one row for each response, and its sums by quarters of an hour."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import apsw

from unspool.model.rows import SourceRow, UsageRow
from unspool.store.rules import Owned, merged, settled
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.functions import crc
from unspool.store.sqlite.writing.pile import Pile
from unspool.store.sqlite.writing.sums import SUM, Sums
from unspool.store.sqlite.writing.words import Words

# Far past any true count, so that no number of made-up lines can make a sum overflow.
_MOST_TOKENS, _MOST_PICO = 10**12, 10**15

_FIND = """
    SELECT r.id, e.project_id, e.session_id, r.message_key, r.rank, r.claim, r.timestamp,
        r.is_finished, m.text, r.input_tokens, r.output_tokens, r.cache_read_tokens,
        r.cache_creation_tokens, r.cache_creation_5m, r.cache_creation_1h, r.web_searches,
        s.text, g.text, r.usd_pico, a.text, coalesce(r.line, 0)
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
_COLUMNS = (
    "message_key, rank, claim, timestamp, is_finished, model, input_tokens, output_tokens,"
    " cache_read_tokens, cache_creation_tokens, cache_creation_5m, cache_creation_1h,"
    " web_searches, speed, geo, usd_pico, session, agent, line"
)
_MARKS = ", ".join("?" * 19)
_ADD = f"INSERT INTO response ({_COLUMNS}, crc) VALUES ({_MARKS}, ?)"  # noqa: S608
_CHANGE = f"UPDATE response SET ({_COLUMNS}) = ({_MARKS}) WHERE id = ?"  # noqa: S608
_SPENT = """
    INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (source_id) DO UPDATE SET root = excluded.root, path = excluded.path,
        generation = excluded.generation, "offset" = excluded."offset", size = excluded.size,
        mtime_ns = excluded.mtime_ns
    WHERE (excluded.generation, excluded."offset", excluded.mtime_ns)
        > (generation, "offset", mtime_ns)
"""


class Moves(NamedTuple):
    """What rows did to the ledger."""

    keys: set[str]  # of responses that are different now
    losers: set[tuple[str, str]]  # project and id of sessions that no longer own one of theirs


class Ledger:
    """The ledger of one writer; every method runs inside the writer's transaction."""

    def __init__(self, connection: apsw.Connection, words: Words, pile: Pile) -> None:
        self._connection, self._words, self._pile = connection, words, pile

    def put(self, rows: Iterable[Owned]) -> Moves:
        """Take rows in; which responses are different now, and which sessions lost any."""
        best, sums = settled(rows), Sums()
        losers = set[tuple[str, str]]()
        if not best:
            return Moves(set(), losers)
        known = self._known(best)
        new, changed = [], []
        for key, owned in best.items():
            if key not in known:
                row = self._row(owned)
                sums.add(row)
                new.append((*row, crc(key)))
                continue
            number, old = known[key]
            now = merged(old, owned)
            if now[:2] != old[:2]:
                losers.add(old[:2])
            before, row = self._row(old), self._row(now)
            if before != row:
                sums.change(before, row)
                changed.append((*row, number))
        self._connection.executemany(_ADD, new)
        self._connection.executemany(_CHANGE, changed)
        sums.write(self._connection)
        return Moves({row[0] for row in (*new, *changed)}, losers)

    def _known(self, keys: Iterable[str]) -> dict[str, tuple[int, Owned]]:
        """The responses of these keys that are in the ledger."""
        names = apsw.carray(array("q", {crc(key) for key in keys}))
        found = map(_owned, self._connection.execute(_FIND_MANY, (names,)).fetchall())
        return {owned.row.message_key: (number, owned) for number, owned in found}

    def note(self, source: SourceRow) -> None:
        """Remember how far the ledger has read a file."""
        place = source.source_id, source.root, source.path, source.generation, source.offset
        self._pile.add(_SPENT, (*place, source.size, source.mtime_ns))

    def reprice(self, price: Callable[[UsageRow], int | None]) -> bool:
        """Price every response anew; whether any figure moved."""
        moved = [
            (new, number)
            for number, owned in self._all()
            if (new := _pico(price(owned.row))) != owned.row.usd_pico
        ]
        self._connection.executemany("UPDATE response SET usd_pico = ? WHERE id = ?", moved)
        if moved:
            self._connection.execute("DELETE FROM total")
            self._connection.execute(f"{SUM} GROUP BY 1, 2, 3, 4")
        return bool(moved)

    def _all(self) -> Iterator[tuple[int, Owned]]:
        return map(_owned, self._connection.execute(_FIND))

    def _row(self, owned: Owned) -> Row:
        row, word = owned.row, self._words.word
        counts = (
            row.input_tokens,
            row.output_tokens,
            row.cache_read_tokens,
            row.cache_creation_tokens,
            row.cache_creation_5m,
            row.cache_creation_1h,
            row.web_searches,
        )
        return (
            row.message_key,
            row.rank,
            row.claim,
            row.timestamp,
            int(row.is_finished),
            word(row.model),
            *(counts if _are_sane(counts) else map(_held, counts)),
            word(row.speed),
            word(row.geo),
            _pico(row.usd_pico),
            self._words.session(owned.project_id, owned.session_id),
            word(row.agent_id),
            row.line_id or None,
        )


def _owned(row: Row) -> tuple[int, Owned]:
    number, project_id, session_id, key, rank, claim, timestamp, is_finished, *rest = row
    usage = UsageRow(key, rank, claim, timestamp, bool(is_finished), *rest)
    return number, Owned(project_id, session_id, usage)


def _are_sane(counts: tuple[int, ...]) -> bool:
    return min(counts) >= 0 and max(counts) <= _MOST_TOKENS


def _held(count: int) -> int:
    return max(0, min(count, _MOST_TOKENS))


def _pico(usd: int | None) -> int | None:
    return None if usd is None else max(0, min(usd, _MOST_PICO))
