"""A file -> its bytes in windows of whole lines: none is too large to be looked through."""

from collections.abc import Iterator
from typing import Final

from unspool.source.lines import MAX_LINE_BYTES
from unspool.source.reader import FileLines

WINDOW: Final = 8 * 1024 * 1024
_STRIDE: Final = 1024 * 1024


def windows(
    file: FileLines, start: int, size: int, *, window: int = WINDOW, longest: int = MAX_LINE_BYTES
) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of each; only the last may end in an unfinished line.

    A line longer than `longest` is in none of them.
    """
    at, window = start, min(window, longest + 1)
    while at < size and (data := file.read(at, min(window, size - at))):
        if at + len(data) < size or len(data) > longest:
            data = data[: data.rfind(b"\n") + 1]
        if data:
            yield at, data
            at += len(data)
            continue
        end, is_whole = _line_end(file, at, size)
        if end - at - is_whole <= longest:
            yield at, file.read(at, end - at)
        at = end


def _line_end(file: FileLines, at: int, size: int) -> tuple[int, bool]:
    """Where the line that begins here ends, and whether by a newline."""
    while at < size and (chunk := file.read(at, min(_STRIDE, size - at))):
        found = chunk.find(b"\n") + 1
        if found:
            return at + found, True
        at += len(chunk)
    return size, False
