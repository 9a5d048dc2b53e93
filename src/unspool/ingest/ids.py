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
