"""One full-text index and some words -> the numbers of the lines that have them."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import chain
from math import inf
from time import thread_time

import apsw

from unspool.store.sqlite.finding.ranges import Range, joined

# So many are asked for, to know whether there are more and how close together they are.
_FEW = 400
# If the others are no more than about this many times as many, they are asked for too.
_SOME = 4
# To go on to the next range takes as long as to read what so many lines between have.
_NEAR = 2_048


class Postings:
    """Numbers within a hull, read range by range until it would have been quicker to read all."""

    def __init__(
        self, connection: apsw.Connection, table: str, expression: str, hull: Range
    ) -> None:
        self.table, self._run, self._words, self._hull = table, connection.execute, expression, hull
        self._rest = hull
        self._first = array("q")
        self._spent, self._left = 0.0, inf  # seconds of work: on ranges, and for the rest

    def few(self) -> int | None:
        """How many there are, unless they are many; the first say what the rest would take."""
        begun = thread_time()
        some = self._read(self._hull, _FEW)
        took = thread_time() - begun
        self._first, self._rest = some, Range(self._hull.last + 1, self._hull.last)
        if len(some) == _FEW:
            self._rest = Range(some[-1] + 1, self._hull.last)
            share = self._rest.length / (self._hull.length - self._rest.length)
            self._left = took * share
            if share > _SOME:
                return None
            self._read_rest()
        return len(self._first)

    def within(self, ranges: Sequence[Range]) -> list[int]:
        """The numbers in some ranges, which are in order and apart."""
        some = self._near(joined(ranges, _NEAR)) if self._rest.length else self._first
        parts = ((bisect_left(some, first), bisect_right(some, last)) for first, last in ranges)
        return [number for begin, end in parts for number in some[begin:end]]

    def _near(self, ranges: Sequence[Range]) -> "array[int]":
        """At least the numbers in these ranges."""
        found = array("q")
        for each in ranges:
            if self._spent > self._left:
                self._read_rest()
                return self._first
            begun = thread_time()
            found += self._read(each)
            self._spent += thread_time() - begun
        return found

    def _read_rest(self) -> None:
        self._first += self._read(self._rest)
        self._rest = Range(self._rest.last + 1, self._rest.last)

    def _read(self, each: Range, most: int = -1) -> "array[int]":
        words, values = (f"{self.table} MATCH ? AND", [self._words]) if self._words else ("", [])
        ask = (
            f"SELECT rowid FROM {self.table} WHERE {words} rowid BETWEEN ? AND ?"  # noqa: S608
            " ORDER BY rowid LIMIT ?"
        )
        return array("q", chain.from_iterable(self._run(ask, (*values, *each, most))))
