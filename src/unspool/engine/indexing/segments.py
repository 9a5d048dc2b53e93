"""Segments of the archive: made from what was read of a source, and repaired from its file.

Index and archive are two files: after a power cut one of them may have lost its last commits.
"""

import os
from collections.abc import Iterable, Iterator

from unspool.errors import SourceError, UnspoolError
from unspool.model.files import TailRead, TailState
from unspool.model.rows import Segment, SourceRow
from unspool.source import tail
from unspool.source.safe_open import OpenFile
from unspool.store import Store
from unspool.store.pack import packed

PIECE = 4 * 1024 * 1024
# A sixth larger than at the usual level, in half the time.
_LEVEL = 1


def segments(source_id: int, piece: TailRead) -> list[Segment]:
    """The whole lines of a piece, packed."""
    if not piece.data:
        return []
    return [packed(source_id, piece.generation, piece.base, piece.data, _LEVEL)]


def long_line_segments(source_id: int, piece: TailRead, path: str) -> Iterator[Segment]:
    """A line too long to hold is read again in runs, one at a time."""
    for place in piece.oversize:
        yield from runs(path, source_id, piece.generation, place.offset, piece.state.offset)


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


def repair_archive(store: Store, sources: Iterable[SourceRow]) -> list[str]:
    """Archive what is indexed but not archived; returns a message for each file that fails."""
    trouble = []
    for source in sources:
        archived = store.archived(source.source_id, source.generation)
        if archived < source.offset and not archive_from(store, source, archived):
            trouble.append(lost_message(source, archived))
    return trouble


def archive_from(store: Store, source: SourceRow, start: int) -> bool:
    """Archive a source again from an offset on; False if its file no longer has these bytes."""
    path = os.path.join(source.root, source.path)
    try:
        if not tail.verify(path, source.tail):
            return False
        for segment in runs(path, source.source_id, source.generation, start, source.offset):
            store.archive([segment], [source])
    except UnspoolError:
        return False
    return True


def whole_until(store: Store, source: SourceRow) -> int:
    """Up to where the archive of a source can be read; looks at every segment."""
    at = 0
    for segment in store.segments(source.source_id, source.generation):
        if segment.offset > at:
            break
        at = max(at, segment.end)
    return at


def lost_message(source: SourceRow, start: int) -> str:
    """Says which bytes are lost."""
    return (
        f"{source.path}: bytes {start} to {source.offset} are indexed, but the archive does not"
        " have them and the file is gone or was replaced."
    )
