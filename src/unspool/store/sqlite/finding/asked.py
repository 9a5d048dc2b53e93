"""One search on one connection: where its lines may be, and those of a stretch that fit."""

from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from itertools import chain, islice
from typing import TypeAlias

import apsw

from unspool.model.query import TextQuery
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.finding.blocks import between, of_spans
from unspool.store.sqlite.finding.chosen import chosen
from unspool.store.sqlite.finding.fitting import LISTED, Fitting
from unspool.store.sqlite.finding.matching import Matching
from unspool.store.sqlite.finding.postings import Postings
from unspool.store.sqlite.finding.ranges import (
    Block,
    Range,
    groups,
    joined,
    stretches,
    within,
    without,
)
from unspool.store.sqlite.writing.texts import OUTPUT, TABLES

_FOREVER = 2**62
_END = (_FOREVER, 0, 0)
# What lies between two ranges of a stride is looked at too, if it is no more than this.
_MUCH = 4_096
# To look at less than this once more takes no longer than to look at what is around it apart.
_LONG = 1_024
# So few known lines are looked at whatever their times are.
_AT_ONCE = 100
# The least number of lines to look at next, where words have many.
_STEP = 512
_PLACE = """
    SELECT l.at, s.source_id, l."offset" FROM line AS l JOIN source AS s ON s.id = l.source
    WHERE l.id = ?
"""

# What puts lines in order whoever came first, each negative so that the newest is the least;
# then whether it is output, and what else says where its body is.
_COLUMNS = '-l.at, -s.source_id, -l."offset", -l.id, {}, s.generation, l.length'
Place: TypeAlias = Row


class Asked:
    """Where lines may be that have the words, and which of those fit."""

    def __init__(
        self,
        connection: apsw.Connection,
        query: TextQuery,
        matching: Matching,
        *,
        is_paged: bool = True,
    ) -> None:
        self._connection, self._query, self._matching = connection, query, matching
        self._run = connection.execute
        self._before = self._last_seen() if is_paged else _END
        self._tables = [table for table in TABLES if _may_have(table, query)]
        self._sources: frozenset[int] | None = None
        self.spans = [Range(1, self.highest)]
        if query.project or query.session:
            self._sources, self.spans = chosen(connection, query)
        self._fitting = Fitting(connection, query, matching, self._until, self._sources)

    @property
    def is_choosy(self) -> bool:
        """Whether having the words is not enough."""
        return self._fitting.is_choosy

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

    def steps(self) -> Iterator[tuple[list[Range], int]]:
        """Where to look, the last lines first, in ever longer steps; and when each ends."""
        if not self.spans:
            return
        blocks, left = self._blocks(), self.spans
        # The newest block has enough of most words, and then nothing need be known of them; but
        # where several must meet, the index looks for that beyond any block.
        if self.words + bool(self._query.kinds) < 2:
            for block in islice(blocks, 1):
                yield self._step([block])
                left = without(left, block[0])
            for block in islice(blocks, 1):
                yield [], block[1]
                blocks = chain([block], blocks)
        found = [each.few() for each in self._postings]
        known = sum(filter(None, found))
        if None not in found and known <= _AT_ONCE:
            yield left, _FOREVER
            return
        enough = self._query.limit / (2 * known) if None not in found else 0
        for some in stretches(blocks, max(_STEP, int(self._hull.length * enough))):
            yield self._step(some)

    def _step(self, some: Sequence[Block]) -> tuple[list[Range], int]:
        return joined(within(some, self.spans), 1), some[0][1]

    def strides(self) -> Iterator[tuple[list[Range], int]]:
        """The same in less pieces: what lies between two is looked at too, unless it is much.

        Each with how many lines it has, those among them that were looked at before.
        """
        is_broad = self._matching.is_broad
        blocks = between(self._connection, self._when, self._hull)
        seen: list[Range] = []
        for some in groups(blocks, 64 if is_broad else 1, 2):
            ranges = joined(within(some, self.spans), _FOREVER if is_broad else _MUCH)
            yield reduce(without, seen, ranges), sum(each.length for each in ranges)
            seen += (each for each in ranges if each.length >= _LONG)

    def _blocks(self) -> Iterator[Block]:
        if self._sources is None:
            return between(self._connection, self._when, self._hull)
        return of_spans(self._connection, self._when, self.spans)

    @property
    def _until(self) -> int | None:
        last: int = self._before[0]
        given = last if self._query.until is None else min(self._query.until, last)
        return None if given == _FOREVER else given

    @property
    def _when(self) -> tuple[int, int]:
        return self._query.since or 0, _FOREVER if self._until is None else self._until

    @property
    def _hull(self) -> Range:
        return Range(self.spans[0].first, self.spans[-1].last) if self.spans else Range(1, 0)

    def tables_with_less_than(self, most: int) -> tuple[list[str], list[str]]:
        """The indexes that have the words in fewer lines, and the others."""
        few = [table for table in self._tables if self._count(table, most) < most]
        return few, [table for table in self._tables if table not in few]

    def _count(self, table: str, most: int) -> int:
        if not self._matching.is_asked or not self.spans:
            return most
        where, values = self._fitting.words(table, self._hull)
        ask = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {where} LIMIT ?)"  # noqa: S608
        return int(self._run(ask, (*values, most)).get)

    @cached_property
    def _postings(self) -> list[Postings]:
        made = ((table, self._fitting.expression(table)) for table in self._tables)
        return [Postings(self._connection, table, words, self._hull) for table, words in made]

    def lines(self, ranges: Sequence[Range]) -> list[Place]:
        """Lines that fit, in no order."""
        found: list[Row] = []
        for each in self._postings:
            columns = _COLUMNS.format(int(each.table == "output"))
            found += self._fitting.listed(each.within(ranges), columns)
        after = tuple(-value for value in self._before)
        return found if self._before == _END else [row for row in found if row[:3] > after]

    def said(self, tables: Sequence[str], ranges: Sequence[Range]) -> Iterator[int]:
        """The numbers of lines that fit and were said."""
        rows = self._fitting.within("said", ranges, "said.rowid") if "said" in tables else []
        return chain.from_iterable(rows)

    def output(self, tables: Sequence[str], ranges: Sequence[Range]) -> list[Row]:
        """Lines that fit and a tool put out: how long each is, and its number, negative."""
        columns = "l.length, -l.id"
        return self._fitting.within("output", ranges, columns) if "output" in tables else []

    def ranks(self, said: set[int]) -> list[Row]:
        """How well these lines fit, less is better; numbers come negative, so newer is less too."""
        if not said:
            return []
        # In one go: each time, all lines with the words are counted.
        return self._ranked(Range(min(said), max(said)), f"+rowid IN {LISTED}", str(list(said)))

    def ranks_of_all(self) -> list[Row]:
        """The same of every line that was said and has the words."""
        return self._ranked(self._hull)

    def _ranked(self, block: Range, which: str = "1", *values: str) -> list[Row]:
        where, words = self._fitting.words("said", block)
        ask = f"SELECT bm25(said), -rowid FROM said WHERE {where} AND {which}"  # noqa: S608
        return self._run(ask, (*words, *values)).fetchall()


def _may_have(table: str, query: TextQuery) -> bool:
    if not query.kinds:
        return True
    return OUTPUT in query.kinds if table == "output" else set(query.kinds) != {OUTPUT}
