"""One search on one connection: where its lines may be, and those of a stretch that fit."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import apsw

from unspool.model.query import TextQuery
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.finding.matching import Matching
from unspool.store.sqlite.finding.ranges import Block, Range, groups, joined, within
from unspool.store.sqlite.writing.texts import OUTPUT, TABLES, mark
from unspool.store.terms import plain

_FOREVER = 2**62
_END = (_FOREVER, 0, 0)
# Lines of others between two of a session's are looked at too, if they are no more than these.
_NEAR = 64
_MUCH = 4_096
_LISTED = "(SELECT value FROM json_each(?))"

_LINE = "CROSS JOIN line AS l ON l.id = {}.rowid"
_SOURCE = "CROSS JOIN source AS s ON s.id = l.source"
_CHOSEN = """
    SELECT s.id, s.first_line, s.last_line
    FROM session AS e CROSS JOIN source AS s ON s.session = e.id
    WHERE {} AND s.first_line IS NOT NULL AND NOT s.superseded
    ORDER BY s.first_line
"""
_OF_PROJECT = "instr(lower(e.project_id), lower(?))"
# The first says where they are in the index, the second decides.
_OF_SESSION = (
    "e.session_id >= ? AND e.session_id < ? || char(0x10ffff) AND instr(e.session_id, ?) = 1"
)
_PLACE = """
    SELECT l.at, s.source_id, l."offset" FROM line AS l JOIN source AS s ON s.id = l.source
    WHERE l.id = ?
"""
_BLOCKS = """
    SELECT first, last, newest FROM block
    WHERE newest >= ? AND oldest <= ? AND last >= ? AND first <= ? ORDER BY newest DESC
"""

Place: TypeAlias = Row  # what puts lines in order whoever came first: time, file, offset, number
Condition: TypeAlias = tuple[str, list[int | str]]


class Asked:
    """Words drive; everything else is asked of the lines that have them."""

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
        self._sources: frozenset[int] | None = None
        self.spans = [Range(0, _FOREVER)]
        if query.project or query.session:
            self._sources, self.spans = self._chosen()
        self._conditions = [*self._times(), *self._kinds()]

    @property
    def _is_choosy(self) -> bool:
        """Whether having the words is not enough."""
        return bool(self._conditions or self._sources)

    @property
    def highest(self) -> int:
        """The last number there is."""
        return self._run("SELECT max(id) FROM line").get or 0

    @property
    def words(self) -> int:
        """How many words there are."""
        return self._matching.words

    def _last_seen(self) -> Row:
        if self._query.before is None:
            return _END
        found: Row | None = self._run(_PLACE, (self._query.before,)).fetchone()
        return found or (-1, 0, 0)

    def _chosen(self) -> tuple[frozenset[int], list[Range]]:
        """Files of a session or project, and the numbers outside of which none has a line."""
        project, session = plain(self._query.project), plain(self._query.session)
        given = [_OF_PROJECT] * bool(project) + [_OF_SESSION] * bool(session)
        values = [project] * bool(project) + [session] * 3 * bool(session)
        found: list[Row] = self._run(_CHOSEN.format(" AND ".join(given)), values).fetchall()
        spans = joined((Range(first, last) for _, first, last in found), _NEAR)
        return frozenset(id for id, *_ in found), spans

    def _times(self) -> Iterator[Condition]:
        if self._query.since is not None:
            yield "l.at >= ?", [self._query.since]
        if self._query.until is not None:
            yield "l.at <= ?", [self._query.until]
        if self._before != _END:
            yield "l.at <= ?", [self._before[0]]

    def _kinds(self) -> Iterator[Condition]:
        if self._query.kinds:
            marks = ", ".join("?" * len(self._query.kinds))
            ask = f"SELECT id FROM kind WHERE text_kind IN ({marks})"  # noqa: S608
            found: list[Row] = self._run(ask, self._query.kinds).fetchall()
            yield f"l.kind IN ({', '.join(str(id) for (id,) in found)})", []

    def steps(self) -> Iterator[tuple[list[Range], int]]:
        """Where to look, the last lines first, in ever longer steps; and when each ends."""
        for some in groups(self._blocks(), 1, 4):
            yield joined(within(some, self.spans), 1), some[0][1]

    def strides(self) -> Iterator[list[Range]]:
        """The same in less pieces: what lies between two is looked at too, unless it is much."""
        is_broad = self._matching.is_broad
        for some in groups(self._blocks(), 64 if is_broad else 1, 2):
            yield joined(within(some, self.spans), _FOREVER if is_broad else _MUCH)

    def _blocks(self) -> Iterator[Block]:
        """Blocks that may have something, and when each ends, the last first."""
        if not self.spans:
            return
        until = self._before[0] if self._query.until is None else self._query.until
        times = self._query.since or 0, min(until, self._before[0])
        bounds = self.spans[0].first, self.spans[-1].last
        found: Iterator[Row] = self._run(_BLOCKS, (*times, *bounds))
        for first, last, end in found:
            yield Range(first, last), end

    def tables_with_less_than(self, most: int) -> tuple[list[str], list[str]]:
        """The indexes that have the words in fewer lines, and the others."""
        few = [table for table in self._tables if self._count(table, most) < most]
        return few, [table for table in self._tables if table not in few]

    def _count(self, table: str, most: int) -> int:
        if not self._matching.is_asked or not self.spans:
            return most
        where, values = self._words(table, Range(self.spans[0].first, self.spans[-1].last))
        ask = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {where} LIMIT ?)"  # noqa: S608
        return int(self._run(ask, (*values, most)).get)

    def lines(self, tables: Sequence[str], ranges: Sequence[Range]) -> list[Place]:
        """Lines that fit, in no order."""
        columns = 'l.at, s.source_id, l."offset", l.id'
        found = [row for table in tables for row in self._select(table, ranges, columns)]
        return [row[:4] for row in found if row[:3] < self._before]

    def said(self, tables: Sequence[str], ranges: Sequence[Range]) -> set[int]:
        """Lines that fit and were said, by number."""
        if "said" not in tables:
            return set()
        return {row[0] for row in self._select("said", ranges, "said.rowid")}

    def output(self, tables: Sequence[str], ranges: Sequence[Range]) -> dict[int, int]:
        """Lines that fit and a tool put out, by number: how long each is."""
        if "output" not in tables:
            return {}
        return {row[0]: row[1] for row in self._select("output", ranges, "l.id, l.length")}

    def ranks(self, said: set[int]) -> list[tuple[float, int]]:
        """How well these lines fit, less is better; numbers come negative, so newer is less too."""
        if not said:
            return []
        # In one go: each time, all lines with the words are counted.
        where, values = self._words("said", Range(min(said), max(said)))
        ask = f"SELECT bm25(said), -rowid FROM said WHERE {where} AND +rowid IN {_LISTED}"  # noqa: S608
        found: list[Row] = self._run(ask, (*values, str(list(said)))).fetchall()
        return [(rank, number) for rank, number in found]

    def _select(self, table: str, ranges: Sequence[Range], columns: str) -> list[Row]:
        joins = _LINE.format(table) if "l." in columns or self._is_choosy else ""
        joins += f" {_SOURCE}" if "s." in columns else ""
        given = " ".join(f"AND {condition}" for condition, _ in self._conditions)
        values = [value for _, some in self._conditions for value in some]
        chosen = ", l.source" if self._sources is not None else ""
        rows: list[Row] = []
        for each in ranges:
            where, words = self._words(table, each)
            ask = f"SELECT {columns}{chosen} FROM {table} {joins} WHERE {where} {given}"  # noqa: S608
            rows += self._run(ask, (*words, *values)).fetchall()
        sources = self._sources
        return rows if sources is None else [row for row in rows if row[-1] in sources]

    def _words(self, table: str, block: Range) -> tuple[str, list[int | str]]:
        expression = self._expression(table)
        where = f"{table}.rowid BETWEEN ? AND ?"
        if not expression:
            return where, [*block]
        return f"{table} MATCH ? AND {where}", [expression, *block]

    def _expression(self, table: str) -> str:
        """What an index is asked for; the kind too, where it has it: else lines are, one by one."""
        words = self._matching.expressions[table]
        kinds = [] if table == "output" else [f'"{mark(kind)}"' for kind in self._query.kinds]
        return " AND ".join(f"({part})" for part in (words, " OR ".join(kinds)) if part)


def _may_have(table: str, query: TextQuery) -> bool:
    if not query.kinds:
        return True
    return OUTPUT in query.kinds if table == "output" else set(query.kinds) != {OUTPUT}
