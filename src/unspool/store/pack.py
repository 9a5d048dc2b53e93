"""Whole lines <-> a segment: packed, checked, and cut back into lines."""

from collections.abc import Iterable
from threading import local
from zlib import crc32

import zstandard

from unspool.model.rows import Segment

LEVEL = 3


class _Compressors(local):
    """Making one costs more than packing a line; every thread needs its own."""

    def __init__(self) -> None:
        self.by_level: dict[int, zstandard.ZstdCompressor] = {}
        self.back = zstandard.ZstdDecompressor()


_compressors = _Compressors()


def packed(
    source_id: int, generation: int, offset: int, data: bytes, level: int = LEVEL
) -> Segment:
    """Pack the bytes that begin at `offset` of a file."""
    frame = _compressor(level).compress(data)
    return Segment(source_id, generation, offset, offset + len(data), crc32(frame), frame)


def _compressor(level: int) -> zstandard.ZstdCompressor:
    kept = _compressors.by_level
    if level not in kept:
        kept[level] = zstandard.ZstdCompressor(level)
    return kept[level]


def is_whole(segment: Segment) -> bool:
    """Whether a segment is still what was packed."""
    return crc32(segment.packed) == segment.checksum


def unpacked(segment: Segment) -> bytes | None:
    """A segment's bytes; None when it is damaged."""
    if not is_whole(segment):
        return None
    size = segment.end - segment.offset
    try:
        data = _compressors.back.decompress(segment.packed, max_output_size=size)
    except zstandard.ZstdError:
        return None
    return data if len(data) == size else None


def sliced(segments: Iterable[Segment], offset: int, length: int) -> bytes | None:
    """Bytes out of segments in order; None unless all of them are there."""
    found, at, end = [], offset, offset + length
    for segment in segments:
        if segment.offset <= at < segment.end and at < end:
            data = unpacked(segment)
            if data is None:
                return None
            found.append(data[at - segment.offset : end - segment.offset])
            at += len(found[-1])
    return b"".join(found) if at >= end else None
