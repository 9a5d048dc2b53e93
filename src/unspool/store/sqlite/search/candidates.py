"""Where the lines of one search may be, and which lines there match it."""

from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from itertools import chain, islice

import apsw

from unspool.model.query import TextQuery
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.search.filters import LISTED, LineFilter, select_sources
from unspool.store.sqlite.search.matching import TermMatcher
from unspool.store.sqlite.search.postings import Postings
from unspool.store.sqlite.search.ranges import (
    Block,
    Range,
    blocks_between,
    blocks_of_spans,
    group_by_count,
    group_by_lines,
    intersect,
    join,
    subtract,
)
from unspool.store.sqlite.writing.texts import OUTPUT, TABLES

_FOREVER = 2**62
# When ranking, gaps up to this many lines between two ranges are read too.
_GAP = 4_096
# Shorter ranges are read again instead of being left out: that takes no longer.
_LONG = 1_024
# If the terms match at most this many lines, all are looked at, whatever their times are.
_AT_ONCE = 100
# The fewest lines to look at in one step, where terms match many.
_STEP = 512
_PLACE = """
    SELECT l.at, s.source_id, l."offset" FROM line AS l JOIN source AS s ON s.id = l.source
    WHERE l.id = ?
"""

# The order of lines, independent of the order of indexing; negative, so that the newest sorts
# first. Then whether it is tool output, and the rest of where its body is.
_COLUMNS = '-l.at, -s.source_id, -l."offset", -l.id, {}, s.generation, l.length'


class Candidates:
    """Lines of one search on one connection."""

    def __init__(
        self,
        connection: apsw.Connection,
        query: TextQuery,
        matcher: TermMatcher,
        *,
        is_paged: bool = True,
    ) -> None:
        self._connection, self._query, self._matcher = connection, query, matcher
        self._run = connection.execute
        self._cursor = self._cursor_place() if is_paged else None
        self._tables = [table for table in TABLES if _may_have(table, query)]
        self._sources: frozenset[int] | None = None
        self.spans = [Range(1, self.last_number)]
        if query.projects is not None or query.session:
            self._sources, self.spans = select_sources(connection, query)
        self._filter = LineFilter(connection, query, matcher, self._until, self._sources)

    @property
    def is_selective(self) -> bool:
        """Whether there is any condition besides the terms."""
        return self._filter.is_selective

    @property
    def last_number(self) -> int:
        """The highest number of a line."""
        return self._run("SELECT max(id) FROM line").get or 0

    @property
    def word_count(self) -> int:
        """How many words the terms have."""
        return self._matcher.word_count

    def _cursor_place(self) -> Row | None:
        """Where the line stands that the page goes on after; None: the page is the first."""
        if self._query.before is None:
            return None
        place: Row | None = self._run(_PLACE, (self._query.before,)).fetchone()
        return place or (-1, 0, 0)

    def steps(self) -> Iterator[tuple[list[Range], int]]:
        """Ranges to look at, newest lines first, in growing steps; with the newest time in each."""
        if not self.spans:
            return
        blocks, rest = self._blocks(), self.spans
        # The newest block has enough lines for most single words, so nothing else is read for
        # them; for several words the index is asked how many lines have them all.
        if self.word_count + bool(self._query.kinds) < 2:
            for block in islice(blocks, 1):
                yield self._step([block])
                rest = subtract(rest, Range(*block[:2]))
            for block in islice(blocks, 1):
                yield [], block[2]
                blocks = chain([block], blocks)
        counts = [each.count_if_few() for each in self._postings]
        known = sum(filter(None, counts))
        if None not in counts and known <= _AT_ONCE:
            yield rest, _FOREVER
            return
        share = self._query.limit / (2 * known) if None not in counts else 0
        for group in group_by_lines(blocks, max(_STEP, int(self._hull.length * share))):
            yield self._step(group)

    def _step(self, group: Sequence[Block]) -> tuple[list[Range], int]:
        return join(intersect(group, self.spans), 1), group[0][2]

    def strides(self) -> Iterator[tuple[list[Range], int]]:
        """The same in fewer and longer ranges, which include short gaps.

        Each comes with how many lines it has, with those that an earlier one had.
        """
        is_broad = self._matcher.has_broad_prefix
        blocks = blocks_between(self._connection, self._times, self._hull)
        before: list[Range] = []
        for group in group_by_count(blocks, 64 if is_broad else 1, 2):
            ranges = join(intersect(group, self.spans), _FOREVER if is_broad else _GAP)
            yield reduce(subtract, before, ranges), sum(each.length for each in ranges)
            before += (each for each in ranges if each.length >= _LONG)

    def _blocks(self) -> Iterator[Block]:
        if self._sources is None:
            return blocks_between(self._connection, self._times, self._hull)
        return blocks_of_spans(self._connection, self._times, self.spans)

    @property
    def _until(self) -> int | None:
        until = self._query.until
        if self._cursor is None:
            return until
        last: int = self._cursor[0]
        return last if until is None else min(until, last)

    @property
    def _times(self) -> tuple[int, int]:
        return self._query.since or 0, _FOREVER if self._until is None else self._until

    @property
    def _hull(self) -> Range:
        return Range(self.spans[0].first, self.spans[-1].last) if self.spans else Range(1, 0)

    def split_tables(self, limit: int) -> tuple[list[str], list[str]]:
        """The indexes with fewer matching lines than a limit, and the others."""
        few = [table for table in self._tables if self._count(table, limit) < limit]
        return few, [table for table in self._tables if table not in few]

    def _count(self, table: str, limit: int) -> int:
        if not self.word_count or not self.spans:
            return limit
        where, values = self._filter.match(table, self._hull)
        ask = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {where} LIMIT ?)"  # noqa: S608
        return int(self._run(ask, (*values, limit)).get)

    @cached_property
    def _postings(self) -> list[Postings]:
        return [
            Postings(self._connection, table, self._filter.expression(table), self._hull)
            for table in self._tables
        ]

    def lines(self, ranges: Sequence[Range]) -> list[Row]:
        """Order and place of the lines in some ranges that match, unsorted."""
        rows: list[Row] = []
        for each in self._postings:
            columns = _COLUMNS.format(int(each.table == "output"))
            rows += self._filter.by_number(each.within(ranges), columns)
        if self._cursor is None:
            return rows
        after = tuple(-value for value in self._cursor)
        return [row for row in rows if row[:3] > after]

    def said(self, tables: Sequence[str], ranges: Sequence[Range]) -> Iterator[int]:
        """Numbers of the lines that match, tool output left out."""
        rows = self._filter.in_ranges("said", ranges, "said.rowid") if "said" in tables else []
        return chain.from_iterable(rows)

    def output(self, tables: Sequence[str], ranges: Sequence[Range]) -> list[Row]:
        """Lines of tool output that match: the length of each and its number, negative."""
        columns = "l.length, -l.id"
        return self._filter.in_ranges("output", ranges, columns) if "output" in tables else []

    def counts(self, table: str, part: Range) -> list[Row]:
        """Lines that match, added up: file, kind, how many, and when the newest was written."""
        columns = "l.source, l.kind, count(*), max(l.at)"
        ranges = self._near(part)
        return self._filter.in_ranges(table, ranges, columns, "GROUP BY l.source, l.kind")

    def places(self, table: str, part: Range) -> list[Row]:
        """Lines that match, one by one: file, kind, time and number."""
        return self._filter.in_ranges(table, self._near(part), "l.source, l.kind, l.at, l.id")

    def _near(self, part: Range) -> list[Range]:
        """What of a range may have lines, with short gaps."""
        return join(intersect([(*part, 0)], self.spans), _GAP)

    def ranks(self, said: set[int]) -> list[Row]:
        """BM25 of these lines and their numbers, negative: better is less, newer is less."""
        if not said:
            return []
        # In one query: each counts all lines that match.
        return self._ranks(Range(min(said), max(said)), f"+rowid IN {LISTED}", str(list(said)))

    def ranks_of_all(self) -> list[Row]:
        """The same for every line that matches, tool output left out."""
        return self._ranks(self._hull)

    def _ranks(self, numbers: Range, condition: str = "1", *values: str) -> list[Row]:
        where, match = self._filter.match("said", numbers)
        ask = f"SELECT bm25(said), -rowid FROM said WHERE {where} AND {condition}"  # noqa: S608
        return self._run(ask, (*match, *values)).fetchall()


def _may_have(table: str, query: TextQuery) -> bool:
    if not query.kinds:
        return True
    return OUTPUT in query.kinds if table == "output" else set(query.kinds) != {OUTPUT}
