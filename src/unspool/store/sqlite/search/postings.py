"""One full-text index and one expression -> the numbers of the lines that match."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import chain

import apsw

from unspool.store.sqlite.search.ranges import Range, join

# The first read asks for this many, to know whether there are more and how dense they are.
_FIRST_READ = 128
# If the rest is at most about this many times as much, it is read too.
_REST_WORTH_READING = 4
# Moving on to another range takes as long as reading through this many lines.
_SEEK_LINES = 2_048


class Postings:
    """Matching numbers within a hull.

    They are read range by range, until as many lines have been read through as are left: then
    reading the rest in one go costs no more than what was spent already.
    """

    def __init__(
        self, connection: apsw.Connection, table: str, expression: str, hull: Range
    ) -> None:
        self.table, self._run, self._hull = table, connection.execute, hull
        self._expression = expression
        self._numbers, self._unread = array("q"), hull
        self._lines_read = 0

    def count_if_few(self) -> int | None:
        """How many there are; None if they are many."""
        hull = self._hull
        self._numbers, self._unread = self._read(hull, _FIRST_READ), Range(hull.last + 1, hull.last)
        if len(self._numbers) == _FIRST_READ:
            self._unread = Range(self._numbers[-1] + 1, hull.last)
            if self._unread.length > _REST_WORTH_READING * (hull.length - self._unread.length):
                return None
            self._read_rest()
        return len(self._numbers)

    def within(self, ranges: Sequence[Range]) -> list[int]:
        """The numbers in some ranges, which are sorted and disjoint."""
        numbers = self._near(join(ranges, _SEEK_LINES)) if self._unread.length else self._numbers
        result, at = list[int](), 0
        for first, last in ranges:
            begin = bisect_left(numbers, first, at)
            at = bisect_right(numbers, last, begin)
            if begin < at:
                result += numbers[begin:at]
        return result

    def _near(self, ranges: Sequence[Range]) -> "array[int]":
        """At least the numbers in these ranges."""
        numbers = array("q")
        for each in ranges:
            if self._lines_read > self._unread.length:
                self._read_rest()
                return self._numbers
            numbers += self._read(each)
            self._lines_read += each.length + _SEEK_LINES
        return numbers

    def _read_rest(self) -> None:
        self._numbers += self._read(self._unread)
        self._unread = Range(self._unread.last + 1, self._unread.last)

    def _read(self, each: Range, limit: int = -1) -> "array[int]":
        match, values = (
            (f"{self.table} MATCH ? AND", [self._expression]) if self._expression else ("", [])
        )
        ask = (
            f"SELECT rowid FROM {self.table} WHERE {match} rowid BETWEEN ? AND ?"  # noqa: S608
            " ORDER BY rowid LIMIT ?"
        )
        return array("q", chain.from_iterable(self._run(ask, (*values, *each, limit))))
