"""The spool's files as sources, each event with the session it is about."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

from msgspec import structs

from unspool.model.files import Root, SpoolFile, TranscriptFile
from unspool.model.rows import Batch, HookRow, SessionRow, SourceRow
from unspool.source import spool
from unspool.source.session_files import project_of

Row = TypeVar("Row", HookRow, SessionRow)

# No hook comes back to a day that is over; two days later none can.
_OVER_NS: Final = 2 * 86_400 * 1_000_000_000


def spooled(directory: str | None, only: str | None = None) -> list[TranscriptFile]:
    """The files of a spool, or the one of that path."""
    if not directory or (only and os.path.dirname(only) != directory):
        return []
    files = spool.spool_files(directory)
    return [_named(directory, file) for file in files if only in (None, file.path)]


def homed(batch: Batch, roots: Sequence[Root]) -> Batch:
    """A spool's batch with the projects of its sessions; those that hooks do not name are guessed.

    A guess counts only where no session of that id is known.
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


def tidied(
    directory: str, sources: Iterable[SourceRow], now: int, settle: Callable[[], None]
) -> list[int]:
    """Delete files that are wholly taken in and whose day is over; the sources they were.

    What they gave is made safe from a power cut first.
    """
    home, before = os.path.dirname(directory), now * 1_000_000 - _OVER_NS
    taken = {
        os.path.basename(source.path): source
        for source in sources
        # Without a time there is something in it that has not been taken in.
        if source.kind == "spool" and source.root == home and source.mtime_ns
    }
    if not any(file.mtime_ns < before for file in spool.spool_files(directory)):
        return []
    settle()
    sizes = {name: source.size for name, source in taken.items()}
    return [taken[name].source_id for name in spool.tidy(directory, sizes, before)]


def _named(directory: str, file: SpoolFile) -> TranscriptFile:
    home, place = os.path.split(directory)
    return TranscriptFile(
        root=Root(0, home, "", os.path.join(home, "projects")),
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
