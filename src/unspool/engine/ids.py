"""Numbers of sources and lines: made from their places, so they are the same after a rebuild."""

from functools import lru_cache
from hashlib import blake2b
from typing import Final

# A line's id is its time, then the low bits of its offset: ids sort by time, and lines of one
# piece of a file, which is never longer than this, have ids of their own.
_PLACE_BITS: Final = 22
_PLACE: Final = (1 << _PLACE_BITS) - 1
_LATEST: Final = (1 << 41) - 1


@lru_cache(maxsize=16_384)
def source_id(root: str, path: str) -> int:
    """A source's number."""
    digest = blake2b(f"{root}\0{path}".encode("utf-8", "surrogateescape"), digest_size=6)
    return int.from_bytes(digest.digest()) >> 1


def line_id(offset: int, at: int) -> int:
    """A line's number; `at` is its time, or that of the line before it."""
    return min(at, _LATEST) << _PLACE_BITS | offset & _PLACE


class LineIds:
    """The ids of one source's lines, told in order."""

    def __init__(self) -> None:
        self.at = 0  # time of the last line that has one

    def next(self, offset: int, at: int | None) -> int:
        """The id of the next line; one without a time takes that of the line before."""
        if at is not None:
            self.at = at
        return line_id(offset, self.at)
