"""A search -> numbers of lines: back in time block by block, or the newest by how well they fit."""

from collections.abc import Iterator
from heapq import heappop, heappush, nlargest
from itertools import dropwhile, islice, pairwise
from math import log
from typing import NamedTuple, TypeAlias

import apsw

from unspool.model.query import TextQuery
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.finding.matching import Matching
from unspool.store.sqlite.writing.texts import OUTPUT, TABLES
from unspool.store.terms import plain

RANKED = 10_000
# So many are looked at one by one; where there are more, going back in time soon finds enough.
_FEW = 400
_MOST_RANGES = 4
_FOREVER = 2**62
_END = (_FOREVER, 0, 0)

_LINE = """
    CROSS JOIN line AS l ON l.id = {}.rowid
    CROSS JOIN source AS s ON s.id = l.source
"""
_FILTERED = """
    CROSS JOIN session AS e ON e.id = s.session
    CROSS JOIN kind AS k ON k.id = l.kind
"""
_SPAN = """
    SELECT coalesce(min(s.first_line), 1), coalesce(max(s.last_line), 0)
    FROM session AS e CROSS JOIN source AS s ON s.session = e.id
    WHERE substr(e.session_id, 1, ?) = ? AND NOT s.superseded
"""
_PLACE = """
    SELECT l.at, s.source_id, l."offset" FROM line AS l JOIN source AS s ON s.id = l.source
    WHERE l.id = ?
"""
_BLOCKS = """
    SELECT first, last, newest FROM block
    WHERE newest >= ? AND oldest <= ? AND last >= ? AND first <= ? ORDER BY newest DESC
"""

Found: TypeAlias = Row  # begins with the rank of a line and ends with its number


class Range(NamedTuple):
    """Numbers of lines, both ends included."""

    first: int
    last: int


def newest(connection: apsw.Connection, query: TextQuery, matching: Matching) -> Iterator[Found]:
    """Lines by their time, the last first."""
    asked = _Asked(connection, query, matching)
    if asked.count(_FEW) < _FEW:
        yield from sorted(asked.lines(asked.bounds), reverse=True)
        return
    waiting: list[tuple[int, ...]] = []
    for block, end in asked.blocks():
        while waiting and -waiting[0][0] > end:
            yield _next(waiting)
        for _, *place in asked.lines(block):
            heappush(waiting, tuple(-part for part in place))
    while waiting:
        yield _next(waiting)


def _next(waiting: list[tuple[int, ...]]) -> Found:
    at, source, offset, number = heappop(waiting)
    return 0.0, -at, -source, -offset, -number


def ranked(connection: apsw.Connection, query: TextQuery, matching: Matching) -> Iterator[Found]:
    """The newest lines by how well they fit; the last one seen says where to go on."""
    asked = _Asked(connection, query, matching, is_paged=False)
    total = asked.count(-1)
    found = [line for each in asked.newest(RANKED, total) for line in asked.weighed(each, total)]
    best = iter(sorted(found, reverse=True))
    if query.before is not None:
        best = islice(dropwhile(lambda line: line[-1] != query.before, best), 1, None)
    return best


def _joined(blocks: list[Range]) -> list[Range]:
    """A few ranges instead of many blocks: each costs a look at all lines with the words."""
    blocks.sort()
    gaps = [(after.first - before.last, at) for at, (before, after) in enumerate(pairwise(blocks))]
    cuts = [-1, *sorted(at for _, at in nlargest(_MOST_RANGES - 1, gaps)), len(blocks) - 1]
    return [Range(blocks[low + 1].first, blocks[high].last) for low, high in pairwise(cuts)]


class _Asked:
    """One search on one connection."""

    def __init__(
        self,
        connection: apsw.Connection,
        query: TextQuery,
        matching: Matching,
        *,
        is_paged: bool = True,
    ) -> None:
        self._run, self._query, self._matching = connection.execute, query, matching
        self._before = self._last_seen() if is_paged else _END
        self._tables = [table for table in TABLES if _may_have(table, query)]
        self._of_line = self._conditions()
        self.bounds = self._span()

    def _last_seen(self) -> Row:
        if self._query.before is None:
            return _END
        found: Row | None = self._run(_PLACE, (self._query.before,)).fetchone()
        return found or (-1, 0, 0)

    def _span(self) -> Range:
        """Numbers outside of which nothing fits: a session is not looked for in all others."""
        name = plain(self._query.session)
        found: list[Row] = self._run(_SPAN, (len(name), name)).fetchall() if name else []
        return Range(*found[0]) if found else Range(0, _FOREVER)

    def count(self, most: int) -> int:
        """How many lines have the words; as many as are counted is enough, -1 counts all."""
        if not self._matching.is_asked:
            return most
        return sum(self._count(table, most) for table in self._tables)

    def _count(self, table: str, most: int) -> int:
        where, values = self._words(table, self.bounds)
        ask = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {where} LIMIT ?)"  # noqa: S608
        return int(self._run(ask, (*values, most)).get)

    def blocks(self) -> Iterator[tuple[Range, int]]:
        """Blocks that may have something, and when each ends, the last first."""
        until = self._before[0] if self._query.until is None else self._query.until
        times = self._query.since or 0, min(until, self._before[0])
        found: Iterator[Row] = self._run(_BLOCKS, (*times, *self.bounds))
        for first, last, end in found:
            yield Range(max(first, self.bounds.first), min(last, self.bounds.last)), end

    def newest(self, most: int, total: int) -> list[Range]:
        """Where the last lines with the words are, about as many as asked for."""
        if total <= 2 * most or self._of_line:
            return [self.bounds]
        chosen: list[Range] = []
        enough = most / total * int(self._run("SELECT max(id) FROM line").get)
        for block, _ in self.blocks():
            chosen.append(block)
            enough -= block.last - block.first + 1
            if enough <= 0:
                break
        return _joined(chosen)

    def lines(self, block: Range) -> list[Found]:
        """Lines of a block, with what puts them in order whoever came first."""
        place = '0.0, l.at, s.source_id, l."offset", l.id'
        return [line for table in self._tables for line in self._select(table, block, place)]

    def weighed(self, block: Range, total: int) -> Iterator[Found]:
        """Lines of a block with their ranks; more is better."""
        if "said" in self._tables:
            yield from self._select("said", block, "-bm25(said), said.rowid")
        if "output" in self._tables:
            found = self._select("output", block, "l.length, l.id")
            words = self._matching.expressions["output"].count('"') // 2
            yield from _guessed(found, total, words)

    def _select(self, table: str, block: Range, columns: str) -> list[Found]:
        """Words drive; everything else is asked of the lines that have them."""
        given = [self._words(table, block), *self._of_line]
        joined = _LINE.format(table) if "l." in columns or self._of_line else ""
        joined += _FILTERED if self._of_line else ""
        where = " AND ".join(each for each, _ in given)
        ask = f"SELECT {columns} FROM {table} {joined} WHERE {where}"  # noqa: S608
        return self._run(ask, [value for _, some in given for value in some]).fetchall()

    def _words(self, table: str, block: Range) -> tuple[str, list[int | str]]:
        expression = self._matching.expressions[table]
        where = f"{table}.rowid BETWEEN ? AND ?"
        if not expression:
            return where, [*block]
        return f"{table} MATCH ? AND {where}", [expression, *block]

    def _conditions(self) -> list[tuple[str, list[int | str]]]:
        """What only a line can answer."""
        query = self._query
        given: list[tuple[str, list[int | str]]] = []
        if self._before != _END:
            given.append(('(l.at, s.source_id, l."offset") < (?, ?, ?)', [*self._before]))
        if query.since is not None:
            given.append(("l.at >= ?", [query.since]))
        if query.until is not None:
            given.append(("l.at <= ?", [query.until]))
        if query.project:
            given.append(("instr(e.project_id, ?)", [plain(query.project)]))
        if query.session:
            name = plain(query.session)
            given.append(("substr(e.session_id, 1, ?) = ?", [len(name), name]))
        if query.kinds:
            marks = ", ".join("?" * len(query.kinds))
            given.append((f"k.text_kind IN ({marks})", [*query.kinds]))
        return given


def _may_have(table: str, query: TextQuery) -> bool:
    if not query.kinds:
        return True
    return OUTPUT in query.kinds if table == "output" else set(query.kinds) != {OUTPUT}


def _guessed(found: list[Found], total: int, words: int) -> Iterator[Found]:
    """BM25 as if each word stood there once: how often it does, that index does not know."""
    usual = sum(length for length, *_ in found) / len(found) if found else 1
    weight = max(1e-6, log((1_000_000 + 0.5) / (total + 0.5))) * words
    for length, number in found:
        yield weight * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / usual)), number
