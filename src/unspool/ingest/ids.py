"""Numbers of sources and lines: made from their places, so they are the same after a rebuild."""

import struct
import zlib
from hashlib import blake2b
from typing import Final

# A line's id is its time, then 22 bits of its place: ids sort by time and need no lookup.
_PLACE_BITS: Final = 22
_LATEST: Final = (1 << 41) - 1
_place: Final = struct.Struct(">qqq")


def source_id(root: str, path: str) -> int:
    """A source's number."""
    digest = blake2b(f"{root}\0{path}".encode("utf-8", "surrogateescape"), digest_size=6)
    return int.from_bytes(digest.digest()) >> 1


def line_id(source: int, generation: int, offset: int, at: int) -> int:
    """A line's number; `at` is its time, or that of the line before it."""
    place = zlib.crc32(_place.pack(source, generation, offset))
    return min(at, _LATEST) << _PLACE_BITS | place >> (32 - _PLACE_BITS)


class LineIds:
    """The ids of one source's lines; two of one moment never share one."""

    def __init__(self, source: int, generation: int) -> None:
        self._source = source
        self._generation = generation
        self._at = 0
        self._taken: set[int] = set()

    def next(self, offset: int, at: int | None) -> int:
        """The id of the next line; one without a time takes that of the line before."""
        if at is not None and at != self._at:
            self._at = at
            self._taken.clear()
        id = line_id(self._source, self._generation, offset, self._at)
        while id in self._taken:
            id += 1
        self._taken.add(id)
        return id
