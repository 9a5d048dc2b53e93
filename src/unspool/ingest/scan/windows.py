"""A file -> its bytes in windows of whole lines: none is too large to be looked through."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from unspool.source.lines import MAX_LINE_BYTES
from unspool.source.reader import FileLines

WINDOW: Final = 1024 * 1024


class Window(NamedTuple):
    """A stretch of a file; the lines in it end where `stop` is."""

    base: int
    data: bytes
    stop: int


def windows(
    file: FileLines, start: int, size: int, *, window: int = WINDOW, longest: int = MAX_LINE_BYTES
) -> Iterator[Window]:
    """Stretch by stretch; only the last may end in an unfinished line.

    A line longer than `longest` is in none of them.
    """
    at, window = start, min(window, longest + 1)
    while at < size and (data := file.read(at, min(window, size - at))):
        is_all = at + len(data) >= size and len(data) <= longest
        # Not cut off: that would copy all of it.
        stop = len(data) if is_all else data.rfind(b"\n") + 1
        if stop:
            yield Window(at, data, stop)
            at += stop
            continue
        end, is_whole = _line_end(file, at, size)
        if end - at - is_whole <= longest:
            yield Window(at, file.read(at, end - at), end - at)
        at = end


def _line_end(file: FileLines, at: int, size: int) -> tuple[int, bool]:
    """Where the line that begins here ends, and whether by a newline."""
    while at < size and (chunk := file.read(at, min(WINDOW, size - at))):
        found = chunk.find(b"\n") + 1
        if found:
            return at + found, True
        at += len(chunk)
    return size, False
