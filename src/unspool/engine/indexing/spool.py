"""Files of the spool as sources, and the projects of the sessions in them."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

from msgspec import structs

from unspool.engine.hooks.events import tombstones_of
from unspool.model.files import Root, SpoolFile, TranscriptFile
from unspool.model.rows import Batch, HookRow, SessionRow, SourceRow
from unspool.source.session_files import project_of
from unspool.source.spool import spool_files, tidy

Row = TypeVar("Row", HookRow, SessionRow)

# A hook writes to the file of its day: after two days none can.
_OVER_NS: Final = 2 * 86_400 * 1_000_000_000


def spool_sources(directory: str | None, only: str | None = None) -> list[TranscriptFile]:
    """The files of a spool, or only the one at a path."""
    if not directory or (only and os.path.dirname(only) != directory):
        return []
    files = spool_files(directory)
    return [_named(directory, file) for file in files if only in (None, file.path)]


def with_projects(batch: Batch, roots: Sequence[Root]) -> Batch:
    """A spool's batch with the projects of its sessions; without a transcript path it is a guess.

    A guess counts only if no session of that id is known.
    """
    if batch.source.kind != "spool":
        return batch
    names = {
        (row.project_id, row.session_id): project_of(row.transcript_path, "", roots) or ""
        for row in batch.sessions
        if row.transcript_path
    }
    guesses = {
        row.session_id: project_of("", row.cwd, roots) or ""
        for row in batch.sessions
        if not row.transcript_path
    }
    return structs.replace(
        batch,
        sessions=[_renamed(row, names) for row in batch.sessions],
        hooks=[_renamed(row, names) for row in batch.hooks],
        guesses=guesses,
    )


def _renamed(row: Row, names: Mapping[tuple[str, str], str]) -> Row:
    return structs.replace(row, project_id=names.get((row.project_id, row.session_id), ""))


def delete_old_files(
    directory: str, sources: Iterable[SourceRow], now: int, settle: Callable[[], None]
) -> list[int]:
    """Delete files that are indexed to their end and two days old; returns their source ids.

    What was read from them is flushed to disk first.
    """
    home, before = os.path.dirname(directory), now * 1_000_000 - _OVER_NS
    taken = {
        os.path.basename(source.path): source
        for source in sources
        # Without an mtime it is not read to its end.
        if source.kind == "spool" and source.root == home and source.mtime_ns
    }
    if not any(file.mtime_ns < before for file in spool_files(directory)):
        return []
    settle()
    sizes = {name: source.size for name, source in taken.items()}
    return [taken[name].source_id for name in tidy(directory, sizes, before)]


def _named(directory: str, file: SpoolFile) -> TranscriptFile:
    home, place = os.path.split(directory)
    return TranscriptFile(
        root=Root(0, home, "", os.path.join(home, "projects"), None, tombstones_of(file.path)),
        path=file.path,
        relpath=os.path.join(place, file.name),
        kind="spool",
        project_id="",
        session_id=None,
        agent_id=None,
        size=file.size,
        mtime_ns=file.mtime_ns,
        inode=file.inode,
    )
