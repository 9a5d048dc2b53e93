"""A search -> numbers of lines: back in time step by step, or the newest by how well they fit."""

from collections.abc import Iterator
from heapq import heapify, heappop, merge
from itertools import dropwhile, islice
from math import log
from operator import itemgetter
from typing import TypeAlias

import apsw

from unspool.model.query import TextQuery
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.finding.asked import Asked
from unspool.store.sqlite.finding.matching import Matching

RANKED = 10_000

# The rank of a line, its number, and where the body is of what a tool put out, or () if unknown.
Found: TypeAlias = tuple[float, int, Row | None]


def newest(connection: apsw.Connection, query: TextQuery, matching: Matching) -> Iterator[Found]:
    """Lines by their time, the last first."""
    asked = Asked(connection, query, matching)
    waiting: list[Row] = []
    for ranges, end in asked.steps():
        while waiting and -waiting[0][0] > end:
            yield _newest(waiting)
        waiting += asked.lines(ranges)
        heapify(waiting)
    while waiting:
        yield _newest(waiting)


def _newest(waiting: list[Row]) -> Found:
    _, source, offset, number, is_output, generation, length = heappop(waiting)
    return 0.0, -number, (-source, generation, -offset, length) if is_output else None


def ranked(connection: apsw.Connection, query: TextQuery, matching: Matching) -> Iterator[Found]:
    """The newest lines by how well they fit; the last one seen says where to go on."""
    best = _best(Asked(connection, query, matching, is_paged=False))
    if query.before is not None:
        best = islice(dropwhile(lambda line: line[1] != query.before, best), 1, None)
    return best


def _best(asked: Asked) -> Iterator[Found]:
    """About the newest lines, the best first."""
    few, many = asked.tables_with_less_than(RANKED)
    # To rank all is less work than to find out first which.
    is_all = "said" in few and not asked.is_choosy
    ranks = asked.ranks_of_all() if is_all else []
    said = set(() if is_all else asked.said(few, asked.spans))
    output, looked = set(asked.output(few, asked.spans)), 0
    for ranges, lines in asked.strides() if many else ():
        looked += lines
        said.update(asked.said(many, ranges))
        output.update(asked.output(many, ranges))
        if len(ranks) + len(said) + len(output) >= RANKED:
            break
    found = len(ranks) + len(said) + len(output)
    rarity = log(1 + ((looked or asked.highest) + 0.5) / (found + 0.5))
    told = ((rank, number, None) for rank, number in _least(ranks + asked.ranks(said)))
    for rank, number, body in merge(told, _guessed([*output], rarity * asked.words)):
        yield -rank, -number, body


def _guessed(lines: list[Row], weight: float) -> Iterator[Found]:
    """BM25 as if each word stood there once: how often it does, that index does not know."""
    usual = sum(map(itemgetter(0), lines)) / max(1, len(lines))
    for length, number in _least(lines):
        yield -weight * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / usual)), number, ()


def _least(lines: list[Row]) -> Iterator[Row]:
    """Of many only the first few are wanted, so they are not all put in order."""
    heapify(lines)
    while lines:
        yield heappop(lines)
