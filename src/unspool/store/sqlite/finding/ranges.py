"""Numbers of lines in ranges: those that lie in others, those close together in one."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias


class Range(NamedTuple):
    """Numbers of lines, both ends included."""

    first: int
    last: int


Block: TypeAlias = tuple[Range, int]  # and when its last line was written


def joined(ranges: Iterable[Range], gap: int) -> list[Range]:
    """Ranges in order, those no further apart than a gap in one."""
    found: list[Range] = []
    for each in ranges:
        if found and each.first <= found[-1].last + gap:
            found[-1] = Range(found[-1].first, max(found[-1].last, each.last))
        else:
            found.append(each)
    return found


def within(blocks: Sequence[Block], spans: Sequence[Range]) -> list[Range]:
    """The parts of blocks that lie in spans, which are in order and apart; by number."""
    return sorted(part for block, _ in blocks for part in _parts(block, spans))


def _parts(block: Range, spans: Sequence[Range]) -> Iterator[Range]:
    at = max(0, bisect_left(spans, (block.first, 0)) - 1)
    for span in islice(spans, at, None):
        if span.first > block.last:
            return
        if span.last >= block.first:
            yield Range(max(span.first, block.first), min(span.last, block.last))


def groups(blocks: Iterator[Block], first: int, growth: int) -> Iterator[list[Block]]:
    """Ever more blocks at a time: so many, and one for each `growth` that were seen before."""
    seen = 0
    while some := list(islice(blocks, first + seen // growth)):
        seen += len(some)
        yield some
