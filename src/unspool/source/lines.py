"""Bytes -> whole lines and their places, split on b"\\n" and nothing else."""

from collections.abc import Iterator
from typing import TypeAlias

from unspool.model.files import LineSpan

MAX_LINE_BYTES = 64 * 1024 * 1024

Line: TypeAlias = tuple[int, bytes]


def scan(data: bytes, base_offset: int = 0) -> Iterator[tuple[int, int]]:
    """Give offset and length of each whole line, blank ones too, newline left out."""
    start = 0
    find = data.find
    while (end := find(b"\n", start)) >= 0:
        yield base_offset + start, end - start
        start = end + 1


def split(data: bytes, base_offset: int = 0) -> Iterator[Line]:
    """Give each whole line with its offset; an unfinished last one is left out."""
    for offset, length in scan(data, base_offset):
        start = offset - base_offset
        yield offset, data[start : start + length]


class LineBuffer:
    """Holds the unfinished line between pieces that may stop anywhere.

    A line longer than `max_line_bytes` is counted and not kept: it comes out as its place.
    """

    def __init__(self, base_offset: int = 0, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self.pending = 0
        self._start = base_offset
        self._parts: list[bytes] = []
        self._longest = max_line_bytes

    def feed(self, data: bytes) -> list[Line | LineSpan]:
        """Take the next bytes and give the lines they finish."""
        lines: list[Line | LineSpan] = []
        start = 0
        for offset, length in scan(data):
            self._hold(data[start : offset + length])
            lines.append(self._finish())
            start = offset + length + 1
        self._hold(data[start:])
        return lines

    def _hold(self, part: bytes) -> None:
        self.pending += len(part)
        if self.pending > self._longest:
            self._parts.clear()
        else:
            self._parts.append(part)

    def _finish(self) -> Line | LineSpan:
        start, length = self._start, self.pending
        whole = b"".join(self._parts)
        self._start, self.pending = start + length + 1, 0
        self._parts.clear()
        return LineSpan(start, length) if length > self._longest else (start, whole)
