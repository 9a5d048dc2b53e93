"""Ranges of line numbers, and the blocks of lines that a search walks through, newest first."""

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

import apsw

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


# First and last line, and the time of the newest. A search walks through hundreds of blocks, so
# they stay the rows that the database gives.
Block: TypeAlias = tuple[int, int, int]
_NOWHERE = -(2**63)


def blocks_between(
    connection: apsw.Connection, times: tuple[int, int], numbers: Range
) -> Iterator[Block]:
    """Blocks with lines of these times that overlap a range, newest first."""
    return connection.execute(_BLOCKS, (*times, *numbers))


def blocks_of_spans(
    connection: apsw.Connection, times: tuple[int, int], spans: Sequence[Range]
) -> Iterator[Block]:
    """Blocks with lines of these times that overlap any of the spans, newest first."""
    return connection.execute(_BLOCKS_OF_SPANS, (*times, json.dumps(spans)))


def join(ranges: Iterable[tuple[int, int]], gap: int) -> list[Range]:
    """Sorted ranges, with those no further apart than `gap` joined into one."""
    result: list[Range] = []
    begin, end = 0, _NOWHERE
    for first, last in ranges:
        if first > end + gap:
            if end != _NOWHERE:
                result.append(Range(begin, end))
            begin, end = first, last
        elif last > end:
            end = last
    return result if end == _NOWHERE else [*result, Range(begin, end)]


def intersect(blocks: Sequence[Block], spans: Sequence[Range]) -> list[tuple[int, int]]:
    """The parts of blocks that lie in spans, sorted; spans are sorted and disjoint."""
    pairs = sorted([block[:2] for block in blocks])
    hull = spans[0] if len(spans) == 1 else Range(0, -1)
    if all(hull.first <= first and last <= hull.last for first, last in pairs):
        return pairs
    return sorted(part for first, last in pairs for part in _parts(first, last, spans))


def _parts(first: int, last: int, spans: Sequence[Range]) -> Iterator[tuple[int, int]]:
    at = max(0, bisect_left(spans, (first, 0)) - 1)
    for span in islice(spans, at, None):
        if span.first > last:
            return
        if span.last >= first:
            yield max(span.first, first), min(span.last, last)


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
        length += block[1] - block[0] + 1
        if length >= max(lines, given // 4):
            yield group
            given += length
            group, length = [], 0
    if group:
        yield group
