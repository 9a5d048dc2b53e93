"""Sources whose archive ends before their index does -> the missing bytes, from their files.

The two are kept in two files: after a power cut one of them may have lost its last commits.
"""

import os
from collections.abc import Iterable

from unspool.engine.indexing.segments import runs
from unspool.errors import UnspoolError
from unspool.model.rows import SourceRow
from unspool.source import tail
from unspool.store import Store


def mend(store: Store, sources: Iterable[SourceRow]) -> list[str]:
    """Archive what is indexed and not archived; say of which files that cannot be done."""
    trouble = []
    for source in sources:
        archived = store.archived(source.source_id, source.generation)
        if archived < source.offset and not archive_from(store, source, archived):
            trouble.append(lost(source, archived))
    return trouble


def archive_from(store: Store, source: SourceRow, start: int) -> bool:
    """Archive a source again from an offset on; whether its file still has these bytes."""
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


def lost(source: SourceRow, start: int) -> str:
    """Say which bytes nobody has any more."""
    return (
        f"{source.path}: bytes {start} to {source.offset} are indexed, but the archive does not"
        " have them and the file is gone or another one."
    )
