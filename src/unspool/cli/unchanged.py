"""Roots and an index -> whether it has every file as it is, told by one look at each.

Where that cannot be told so cheaply the answer is no, and a survey finds out what there is.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from unspool.errors import StoreError
from unspool.model.files import Root
from unspool.source.fence import OURS
from unspool.source.spool import spool_files
from unspool.store.sqlite.store import SqliteStore

Look: TypeAlias = tuple[str, int, int]  # path, size, mtime_ns

_KNOWN: Final = """
    SELECT root || ? || path, size, mtime_ns, root FROM sources
    WHERE gone_at IS NULL AND NOT superseded
"""
_MOST: Final = 10_000_000


def is_unchanged(roots: Sequence[Root], spool: str, store: SqliteStore) -> bool:
    """Whether there is no file that is new, gone, or not as the index has it."""
    if any(root.only is not None for root in roots):
        return False
    with suppress(OSError, ValueError, StoreError):
        seen = {look for root in roots for look in _looks(root)}
        waiting = {(file.path, file.size, file.mtime_ns) for file in spool_files(spool)}
        _, known = store.sql(_KNOWN, (os.sep,), limit=_MOST)
        ours = {root.path for root in roots}
        has = {(path, size, at) for path, size, at, root in known if root in ours}
        return seen == has and waiting <= {(path, size, at) for path, size, at, _ in known}
    return False


def _looks(root: Root) -> Iterator[Look]:
    """Every file that may be a transcript or an event log, whatever it turns out to be."""
    OURS.add(root.path, root.projects)
    for project in _folders(root.projects):
        folders: list[str] = []
        yield from _listed(project, folders)
        waiting = [os.path.join(session, "subagents") for session in folders]
        while waiting:
            yield from _listed(waiting.pop(), waiting)
    for project in _folders(os.path.join(root.path, "hooks")):
        yield from _listed(project, [])


def _folders(directory: str) -> list[str]:
    found: list[str] = []
    for _ in _listed(directory, found):
        pass
    return found


def _listed(directory: str, folders: list[str]) -> Iterator[Look]:
    """The files of a directory, which may be missing; its directories are added to `folders`."""
    with suppress(FileNotFoundError):
        for entry in OURS.scan(directory):
            path = f"{directory}{os.sep}{entry.name}"
            if not entry.name.endswith(".jsonl"):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
            elif stat.S_ISREG((info := entry.stat(follow_symlinks=False)).st_mode):
                yield path, info.st_size, info.st_mtime_ns
