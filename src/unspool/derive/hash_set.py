"""A set of strings that keeps a 64-bit hash of each: 12 to 24 bytes, where a set needs 90.

A file may have a million lines. Among those, two hashes are the same once in 30 million files.
"""

from array import array


class HashSet:
    """Answers as a set would; what it was given cannot be had back."""

    def __init__(self) -> None:
        self._slots = _slots(8)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, text: object) -> bool:
        number = hash(text) or 1
        return self._slots[self._slot(number)] == number

    def add(self, text: str) -> bool:
        """Take in a string; whether it is new."""
        number = hash(text) or 1
        at = self._slot(number)
        if self._slots[at]:
            return False
        self._slots[at] = number
        self._count += 1
        if 3 * self._count > 2 * len(self._slots):
            self._grow()
        return True

    def _slot(self, number: int) -> int:
        """Where a hash is, or would be: at its place, or after those that were there before it."""
        slots, last = self._slots, len(self._slots) - 1
        at = number & last
        while slots[at] and slots[at] != number:
            at = (at + 1) & last
        return at

    def _grow(self) -> None:
        before, self._slots = self._slots, _slots(2 * len(self._slots))
        for number in filter(None, before):
            self._slots[self._slot(number)] = number


def _slots(count: int) -> "array[int]":
    return array("q", bytes(8 * count))  # 0: none
