"""A search -> numbers of lines: back in time step by step, or the newest by how well they fit."""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import dropwhile, islice
from math import log
from typing import TypeAlias

import apsw

from unspool.model.query import TextQuery
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.finding.asked import Asked
from unspool.store.sqlite.finding.matching import Matching

RANKED = 10_000
# So few are looked at all at once; where there are more, going back in time soon finds enough.
_FEW = 400

Found: TypeAlias = Row  # begins with the rank of a line and ends with its number


def newest(connection: apsw.Connection, query: TextQuery, matching: Matching) -> Iterator[Found]:
    """Lines by their time, the last first."""
    asked = Asked(connection, query, matching)
    few, many = asked.tables_with_less_than(_FEW)
    waiting = [_negative(place) for place in asked.lines(few, asked.spans)]
    heapify(waiting)
    for ranges, end in asked.steps() if many else ():
        while waiting and -waiting[0][0] > end:
            yield 0.0, *_negative(heappop(waiting))
        for place in asked.lines(many, ranges):
            heappush(waiting, _negative(place))
    while waiting:
        yield 0.0, *_negative(heappop(waiting))


def _negative(place: Row) -> Row:
    at, source, offset, number = place
    return -at, -source, -offset, -number


def ranked(connection: apsw.Connection, query: TextQuery, matching: Matching) -> Iterator[Found]:
    """The newest lines by how well they fit; the last one seen says where to go on."""
    best = _best(_weighed(Asked(connection, query, matching, is_paged=False)))
    if query.before is not None:
        best = islice(dropwhile(lambda line: line[-1] != query.before, best), 1, None)
    return best


def _best(weighed: list[tuple[float, int]]) -> Iterator[Found]:
    """Of many only the first few are wanted, so they are not all put in order."""
    heapify(weighed)
    while weighed:
        rank, number = heappop(weighed)
        yield -rank, -number


def _weighed(asked: Asked) -> list[tuple[float, int]]:
    """About the newest lines, with negative ranks and numbers: the least is the best."""
    few, many = asked.tables_with_less_than(RANKED)
    said, output = asked.said(few, asked.spans), asked.output(few, asked.spans)
    looked = 0
    for ranges in asked.strides() if many else ():
        looked += sum(last - first + 1 for first, last in ranges)
        said |= asked.said(many, ranges)
        output |= asked.output(many, ranges)
        if len(said) + len(output) >= RANKED:
            break
    found = len(said) + len(output)
    rarity = log(1 + ((looked or asked.highest) + 0.5) / (found + 0.5))
    return [*asked.ranks(said), *_guessed(output, rarity * asked.words)]


def _guessed(lengths: dict[int, int], weight: float) -> Iterator[tuple[float, int]]:
    """BM25 as if each word stood there once: how often it does, that index does not know."""
    usual = sum(lengths.values()) / max(1, len(lengths))
    for number, length in lengths.items():
        yield -weight * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / usual)), -number
