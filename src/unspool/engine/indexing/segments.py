"""What was read of a source -> segments for the archive, none too large to hold."""

from collections.abc import Iterator

from unspool.errors import SourceError
from unspool.model.files import TailRead, TailState
from unspool.model.rows import Segment
from unspool.source.safe_open import OpenFile
from unspool.store.pack import packed

PIECE = 4 * 1024 * 1024
# A sixth larger than at the usual level, in half the time.
_LEVEL = 1


def segments(source_id: int, piece: TailRead, path: str) -> list[Segment]:
    """What a piece adds; a line too long to hold is read again in runs."""
    if piece.data:
        return [packed(source_id, piece.generation, piece.base, piece.data, _LEVEL)]
    found: list[Segment] = []
    for place in piece.oversize:
        found += runs(path, source_id, piece.generation, place.offset, piece.state.offset)
    return found


def unfinished(source_id: int, state: TailState, line: bytes | None) -> Segment:
    """The bytes after the last whole line, for as long as they are the last."""
    return packed(source_id, state.generation, state.offset, line or b"", _LEVEL)


def runs(path: str, source_id: int, generation: int, start: int, end: int) -> Iterator[Segment]:
    """The bytes of a file from `start` to `end`."""
    with OpenFile(path) as file:
        while start < end:
            data = file.read(start, min(PIECE, end - start))
            if not data:
                raise SourceError(f"{path} shrank while it was read. Read it again.")
            yield packed(source_id, generation, start, data, _LEVEL)
            start += len(data)
