"""Ranges of line numbers, and the blocks of lines that a search walks through, newest first."""

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

import apsw

from unspool.store.sqlite.connection import Row

_BLOCKS = """
    SELECT first, last, newest FROM block
    WHERE newest >= ? AND oldest <= ? AND last >= ? AND first <= ? ORDER BY newest DESC
"""
# Blocks do not overlap, so at most one begins before a span and has a part of it.
_BLOCKS_OF_SPANS = """
    SELECT DISTINCT b.first, b.last, b.newest
    FROM json_each(?3) AS span CROSS JOIN block AS b
    ON b.first BETWEEN ifnull((SELECT max(first) FROM block WHERE first <= span.value ->> 0), 0)
        AND span.value ->> 1
    WHERE b.newest >= ?1 AND b.oldest <= ?2 AND b.last >= span.value ->> 0
    ORDER BY b.newest DESC, b.first DESC
"""


class Range(NamedTuple):
    """Line numbers, both ends included."""

    first: int
    last: int

    @property
    def length(self) -> int:
        """How many numbers it has."""
        return self.last - self.first + 1


Block: TypeAlias = tuple[Range, int]  # with the time of its newest line


def blocks_between(
    connection: apsw.Connection, times: tuple[int, int], numbers: Range
) -> Iterator[Block]:
    """Blocks with lines of these times that overlap a range, newest first."""
    return _blocks(connection.execute(_BLOCKS, (*times, *numbers)))


def blocks_of_spans(
    connection: apsw.Connection, times: tuple[int, int], spans: Sequence[Range]
) -> Iterator[Block]:
    """Blocks with lines of these times that overlap any of the spans, newest first."""
    return _blocks(connection.execute(_BLOCKS_OF_SPANS, (*times, json.dumps(spans))))


def _blocks(rows: Iterator[Row]) -> Iterator[Block]:
    for first, last, newest in rows:
        yield Range(first, last), newest


def join(ranges: Iterable[Range], gap: int) -> list[Range]:
    """Sorted ranges, with those no further apart than `gap` joined into one."""
    result: list[Range] = []
    for each in ranges:
        if not result or each.first > result[-1].last + gap:
            result.append(each)
        elif each.last > result[-1].last:
            result[-1] = Range(result[-1].first, each.last)
    return result


def intersect(blocks: Sequence[Block], spans: Sequence[Range]) -> list[Range]:
    """The parts of blocks that lie in spans, sorted; spans are sorted and disjoint."""
    first, last = (spans[0].first, spans[0].last) if len(spans) == 1 else (0, -1)
    if all(first <= block.first and block.last <= last for block, _ in blocks):
        return sorted(block for block, _ in blocks)
    return sorted(part for block, _ in blocks for part in _parts(block, spans))


def _parts(block: Range, spans: Sequence[Range]) -> Iterator[Range]:
    at = max(0, bisect_left(spans, (block.first, 0)) - 1)
    for span in islice(spans, at, None):
        if span.first > block.last:
            return
        if span.last >= block.first:
            yield Range(max(span.first, block.first), min(span.last, block.last))


def subtract(ranges: Iterable[Range], hole: Range) -> list[Range]:
    """What is left of ranges outside of another."""
    before, after = hole.first - 1, hole.last + 1
    parts = (
        part
        for first, last in ranges
        for part in (Range(first, min(last, before)), Range(max(first, after), last))
    )
    return [part for part in parts if part.length > 0]


def group_by_count(blocks: Iterator[Block], first: int, growth: int) -> Iterator[list[Block]]:
    """Groups that grow: `first` blocks, and one more for each `growth` already given."""
    count = 0
    while group := list(islice(blocks, first + count // growth)):
        count += len(group)
        yield group


def group_by_lines(blocks: Iterator[Block], lines: int) -> Iterator[list[Block]]:
    """Groups of at least `lines` lines, later a quarter of the lines already given."""
    group: list[Block] = []
    given, length = 0, 0
    for block in blocks:
        group.append(block)
        length += block[0].length
        if length >= max(lines, given // 4):
            yield group
            given += length
            group, length = [], 0
    if group:
        yield group
