"""Raw bytes <-> packed pieces, small enough that one line is read back quickly."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from unspool.model.rows import Segment
from unspool.store.pack import packed, unpacked

LARGEST: Final = 256 * 1024  # packed; reading 20 lines out of 4 MiB took 30 times as long
# Bytes that do not compress grow a little by being packed.
_MOST: Final = LARGEST - 1024


class ArchivePiece(NamedTuple):
    """A part of a segment; where it is cut, its last line goes on in the next one."""

    segment: Segment
    is_cut: bool = False


def pieces(segment: Segment) -> list[ArchivePiece]:
    """A segment in pieces, each of whole lines unless a line is longer than a piece."""
    if segment.end - segment.offset <= _MOST and len(segment.packed) <= LARGEST:
        return [ArchivePiece(segment)]
    data = unpacked(segment)
    if data is None:
        return [ArchivePiece(segment)]  # damaged on its way: kept as it is, so that it can be named
    place = {"source_id": segment.source_id, "generation": segment.generation}
    return pieces_of(place, segment.offset, data)


def pieces_of(place: Mapping[str, int], offset: int, data: bytes) -> list[ArchivePiece]:
    """The bytes that begin at `offset` of a file, in pieces; `place` is source and generation."""
    of = place["source_id"], place["generation"]
    return [
        ArchivePiece(packed(*of, offset + begin, data[begin:end]), is_cut)
        for begin, end, is_cut in _cuts(data)
    ]


def _cuts(data: bytes) -> Iterator[tuple[int, int, bool]]:
    begin = 0
    while begin < len(data):
        end = min(begin + _MOST, len(data))
        is_cut = False
        if end < len(data):
            line_end = data.rfind(b"\n", begin, end) + 1
            is_cut = line_end <= begin
            end = end if is_cut else line_end
        yield begin, end, is_cut
        begin = end


def whole_lines(found: Iterable[ArchivePiece]) -> Iterator[Segment]:
    """Pieces in order as segments of whole lines: those that were cut are joined again."""
    waiting: list[ArchivePiece] = []
    for piece in found:
        if waiting and waiting[-1].segment.end != piece.segment.offset:
            yield from _joined(waiting)  # the rest of its last line is missing
            waiting = []
        waiting.append(piece)
        if not piece.is_cut:
            yield from _joined(waiting)
            waiting = []
    yield from _joined(waiting)


def _joined(found: list[ArchivePiece]) -> Iterator[Segment]:
    if len(found) == 1 and not found[0].is_cut:
        yield found[0].segment
    elif found:
        first = found[0].segment
        data = b"".join(unpacked(piece.segment) or b"" for piece in found)
        if found[-1].is_cut:
            data = data[: data.rfind(b"\n") + 1]
        if data:
            yield packed(first.source_id, first.generation, first.offset, data)
