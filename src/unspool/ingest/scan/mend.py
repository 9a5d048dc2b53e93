"""A damaged line -> the whole records in it, as an index takes them."""

from collections.abc import Iterator
from typing import Final

from unspool.decode.salvage import Part, parts
from unspool.model.transcript import Unreadable

_BLANK: Final = b" \t\r\n\v\f\0\xef\xbb\xbf"


def whole(line: bytes) -> list[Part]:
    """The parts of a line, its newline included; of one still being written none, if it is cut."""
    found = parts(line.removesuffix(b"\n"))
    is_cut = any(isinstance(part.entry, Unreadable) for part in found)
    return [] if is_cut and not line.endswith(b"\n") else found


def records(line: bytes) -> Iterator[tuple[int, bytes]]:
    """Where each record begins, and its bytes."""
    for part in whole(line):
        if not isinstance(part.entry, Unreadable):
            yield part.start, line[part.start : part.end].strip(_BLANK)
