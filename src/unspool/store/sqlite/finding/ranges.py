"""Numbers of lines in ranges: those that lie in others, those close together in one."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias


class Range(NamedTuple):
    """Numbers of lines, both ends included."""

    first: int
    last: int

    @property
    def length(self) -> int:
        """How many there are."""
        return self.last - self.first + 1


Block: TypeAlias = tuple[Range, int]  # and when its last line was written


def joined(ranges: Iterable[Range], gap: int) -> list[Range]:
    """Ranges in order, those no further apart than a gap in one."""
    found: list[Range] = []
    for each in ranges:
        if not found or each.first > found[-1].last + gap:
            found.append(each)
        elif each.last > found[-1].last:
            found[-1] = Range(found[-1].first, each.last)
    return found


def within(blocks: Sequence[Block], spans: Sequence[Range]) -> list[Range]:
    """The parts of blocks that lie in spans, which are in order and apart; by number."""
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


def without(ranges: Iterable[Range], hole: Range) -> list[Range]:
    """What is left of ranges outside of another."""
    before, after = hole.first - 1, hole.last + 1
    parts = (
        part
        for first, last in ranges
        for part in (Range(first, min(last, before)), Range(max(first, after), last))
    )
    return [part for part in parts if part.length > 0]


def groups(blocks: Iterator[Block], first: int, growth: int) -> Iterator[list[Block]]:
    """Ever more blocks at a time: so many, and one for each `growth` that were seen before."""
    seen = 0
    while some := list(islice(blocks, first + seen // growth)):
        seen += len(some)
        yield some


def stretches(blocks: Iterator[Block], lines: int) -> Iterator[list[Block]]:
    """Blocks of at least so many lines, then of a quarter as many as were seen before."""
    some: list[Block] = []
    seen, length = 0, 0
    for block in blocks:
        some.append(block)
        length += block[0].length
        if length >= max(lines, seen // 4):
            yield some
            seen += length
            some, length = [], 0
    if some:
        yield some
