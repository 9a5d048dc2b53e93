"""Tombstones -> nothing is left of their sessions in a home: spool, archive, index, marks, caches.

The tombstone is written first. What follows can be interrupted at any moment and is done again
from its beginning, by the next process that opens the index.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

from unspool.engine.hooks.events import is_forgotten_payload
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.rebuild import rebuild
from unspool.errors import StoreBusy, StoreError
from unspool.model.files import Root
from unspool.model.prices import PriceTable
from unspool.model.rows import Segment
from unspool.source.forgotten import (
    Tombstone,
    Tombstones,
    log_stamp,
    note_obeyed,
    obeyed,
    pending,
    tombstones,
)
from unspool.source.roots import KnownRoot, known_roots, same_directory
from unspool.source.spool import SPOOL, blank, scrub, spool_files
from unspool.store import Store
from unspool.store.pack import packed, unpacked
from unspool.store.sqlite.lock import WriterLock

_LOCK: Final = "index.lock"
_RETRY: Final = 30.0  # while somebody reads for long


def erase_without_archive(home: Path, log: str) -> None:
    """Obey tombstones in a home that has no archive; StoreBusy while another process makes one."""
    lock = WriterLock(home / _LOCK)
    try:
        gone = tombstones(log)
        _scrub_spool(home, gone)
        _remove_copies(home)
        note_obeyed(home, gone.size)
    finally:
        lock.release()


def erase(
    store: Store, home: Path, log: str, roots: Sequence[Root], prices: PriceTable, now: int
) -> None:
    """Obey the tombstones of a log: what is left is as if the sessions had never been.

    `roots` are read again at the end; others that the index has stay as the archive has them.
    """
    gone = tombstones(log)
    new, known = gone.after(obeyed(home)), known_roots(str(home))
    if new and _erase_raw(store, home, gone, _concerns(store, known, new)):
        store.marks.erase(_names(known, gone))
        _remove_copies(home)
        rebuild(store, roots, prices, now, known=known)
        store.settle()
    note_obeyed(home, gone.size)


class TombstoneFollower:
    """Has the writer of an index obey tombstones as they are written."""

    def __init__(self, log: str, home: Path, indexer: Indexer, erase: Callable[[], None]) -> None:
        self._log, self._home, self._indexer, self._erase = log, home, indexer, erase
        self._stamp: tuple[int, ...] = ()
        self._retry_at = 0.0

    def __call__(self) -> bool:
        """Erase what was forgotten since; whether the log has changed."""
        stamp = log_stamp(self._log)
        if stamp == self._stamp or monotonic() < self._retry_at:
            return False
        if pending(self._log, self._home):
            try:
                self._erase()
            except StoreBusy:
                self._retry_at = monotonic() + _RETRY
                return False
            finally:
                self._indexer.reset()
        self._stamp = stamp
        return True


def _concerns(store: Store, known: Sequence[KnownRoot], new: Sequence[Tombstone]) -> bool:
    """Whether an index has anything of the roots of some tombstones, or was damaged and is lost."""
    archived = {one.root for one in store.generations()}
    try:
        is_lost = bool(archived) and not store.roots()
    except StoreError:
        is_lost = True
    roots = archived | {one.path for one in known}
    return is_lost or any(same_directory(one.root, root) for one in new for root in roots)


def _erase_raw(store: Store, home: Path, gone: Tombstones, is_concerned: bool) -> bool:
    """Take the bytes out of spool and archive; whether the index has to follow."""
    is_scrubbed = _scrub_spool(home, gone)
    instead = list(_blanked(store, gone))
    if not (is_concerned or is_scrubbed or instead):
        return False
    sources = {
        one.source_id
        for one in store.generations()
        if one.session_id in gone.of(one.root).get(_bare(one.project_id), ())
    }
    outputs = [
        (one.root, one.path)
        for one in store.outputs()
        if one.session_id in gone.of(one.root).get(_bare(one.project_id), ())
    ]
    store.erase(sources, outputs, instead)
    return True


def _scrub_spool(home: Path, gone: Tombstones) -> bool:
    is_forgotten = is_forgotten_payload(gone)
    files = spool_files(home / SPOOL)
    return any([scrub(file.path, is_forgotten) for file in files])


def _blanked(store: Store, gone: Tombstones) -> Iterator[Segment]:
    """Archived segments of the spool that have events of forgotten sessions, without those."""
    is_forgotten = is_forgotten_payload(gone)
    for source in store.generations():
        if source.kind != "spool":
            continue
        segments = list(store.segments(source.source_id, source.generation))
        parts = [unpacked(segment) or b"" for segment in segments]
        data = b"".join(parts)
        clean, at = blank(data, is_forgotten), 0
        for segment, part in zip(segments, parts, strict=True):
            new = clean[at : at + len(part)]
            at += len(part)
            if new != part:
                yield packed(source.source_id, source.generation, segment.offset, new)


def _names(known: Sequence[KnownRoot], gone: Tombstones) -> list[tuple[str, str]]:
    """Projects and sessions as an index calls them."""
    return [
        (root.prefix + project, session)
        for root in known
        for project, sessions in gone.of(root.path).items()
        for session in sessions
    ]


def _bare(project_id: str) -> str:
    """A project without the prefix of its root."""
    prefix, mark, name = project_id.partition("~")
    return name if mark and prefix[:1] == "r" and prefix[1:].isdecimal() else project_id


def _remove_copies(home: Path) -> None:
    """Remove what can be made again, and damaged indexes that were set aside."""
    for path in (*home.glob("cost.cache*"), *home.glob("corrupt-*")):
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
