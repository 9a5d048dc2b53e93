"""Roots and spool -> the files that change, in batches, as they change.

The system reports changes at once, and a periodic scan finds what it missed: correctness never
depends on an event. All of it runs in the thread that asks for the next batch.
"""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from math import inf
from threading import Event
from time import monotonic
from typing import Final, Generic, NamedTuple, Self, TypeVar

from msgspec import structs
from watchfiles import Change

from unspool.model.files import Root, TranscriptFile, WatchEvent
from unspool.source.claude_code import SPOOL, FileName, name_file, top_folders
from unspool.source.files import (
    INDEXED_KINDS,
    ScannedFile,
    identify,
    is_gone,
    scan_below,
    scan_files,
    stat_file,
)
from unspool.source.forgotten import is_forgotten_in
from unspool.source.listener import Listener
from unspool.source.spool import spool_files

Key = TypeVar("Key", bound=Hashable)

COALESCE_WINDOW: Final = 0.1  # seconds


class Coalescer(Generic[Key]):
    """Reports a key at once, then at most once per window.

    Changes within the window are reported together at its end: nothing waits longer than that,
    even if it is written to continuously.
    """

    def __init__(self, window: float = COALESCE_WINDOW) -> None:
        self._window = window
        self._reported: dict[Key, float] = {}
        self._waiting: dict[Key, float] = {}

    def touch(self, key: Key, now: float) -> None:
        """Note a change; no effect while the key is already waiting."""
        last = self._reported.get(key, -inf)
        self._waiting.setdefault(key, max(now, last + self._window))

    def due(self, now: float) -> list[Key]:
        """The keys to check now, longest waiting first."""
        recent = self._reported.items()
        self._reported = {key: at for key, at in recent if at + self._window > now}
        ready = [(at, key) for key, at in self._waiting.items() if at <= now]
        ready.sort(key=lambda one: one[0])
        for _, key in ready:
            del self._waiting[key]
        return [key for _, key in ready]

    def mark_reported(self, key: Key, now: float) -> None:
        """Start the window of a key: a false alarm must not delay the next change."""
        self._reported[key] = now

    def next_due(self) -> float | None:
        """When the next key is due; None while nothing waits."""
        return min(self._waiting.values(), default=None)


_HOUR: Final = 3_600.0
_MOST_RECENT: Final = 64


class RecentFiles:
    """The files written to last, which polling checks most often; each for up to an hour."""

    def __init__(self, newest_first: Iterable[str], now: float) -> None:
        self._at = dict.fromkeys(list(newest_first)[_MOST_RECENT - 1 :: -1], now)

    def note(self, path: str, now: float) -> None:
        self._at.pop(path, None)
        self._at[path] = now
        if len(self._at) > _MOST_RECENT:
            del self._at[next(iter(self._at))]

    def forget(self, path: str) -> None:
        self._at.pop(path, None)

    def paths(self, now: float) -> list[str]:
        """The files that are likely to change again."""
        return [path for path, at in self._at.items() if now - at < _HOUR]


RESCAN: Final = 30.0  # seconds between full scans
_TUNE: Final = 1.0  # how often to look for new or replaced directories
_SLICE: Final = 256  # files of a full scan between two looks at new notices
_SOONEST: Final = 2.0
_REST: Final = 100  # without notices, rest this many times as long as a scan took
_KINDS: Final = INDEXED_KINDS | {"registry"}
_CALM, _LATEST = 200, 10  # with notices, rest longer: up to `_LATEST` times `rescan`


class FileVersion(NamedTuple):
    """What changes when a file does: a rewritten file may have the same length."""

    size: int
    inode: int
    mtime_ns: int


class KnownFile(NamedTuple):
    """A file and the version that was reported last."""

    file: WatchEvent
    version: FileVersion


class WatchScope:
    """The directories that Claude Code and its hooks write to."""

    def __init__(self, roots: Sequence[Root], spool: str | None = None) -> None:
        self._roots = roots
        self._spool = spool

    def directories(self) -> list[str]:
        """Every directory to watch, whether it exists yet or not."""
        found = [directory for root in self._roots for directory in _directories(root)]
        return list(dict.fromkeys([*found, self._spool] if self._spool else found))

    def file(self, path: str) -> WatchEvent | None:
        """The file at a path; None if it is not one of ours. Links are not followed."""
        above, name = os.path.split(path)
        if self._spool and above == self._spool:
            return WatchEvent(path=path, kind="spool") if name_file(SPOOL, name) else None
        found = (identify(root, path) for root in self._roots)
        return next((watch_event(path, name) for name in found if name), None)

    def is_forgotten(self, file: WatchEvent) -> bool:
        """Whether a file is of a session that was forgotten since it was first seen."""
        return is_forgotten_in(self._roots, file.project_id, file.session_id)

    def below(self, directory: str) -> Iterator[str]:
        """The files of a new directory: they may have been written before it was watched."""
        if not os.path.islink(directory):
            for root in self._roots:
                yield from (file.path for file in scan_below(root, directory, _KINDS))

    def all(self) -> Iterator[KnownFile]:
        """Every existing file, a project at a time."""
        for root in self._roots:
            for file in scan_files(root, _KINDS):
                yield KnownFile(watch_event(file.path, file), _version(file.info))
        for path, version in self._spooled():
            yield KnownFile(WatchEvent(path=path, kind="spool"), version)

    def versions(self) -> Iterator[tuple[str, FileVersion]]:
        """The version of every existing file, without its kind."""
        for root in self._roots:
            for file in scan_files(root, _KINDS, with_sessions=False):
                yield file.path, _version(file.info)
        yield from self._spooled()

    def _spooled(self) -> Iterator[tuple[str, FileVersion]]:
        for file in spool_files(self._spool) if self._spool else ():
            yield file.path, FileVersion(file.size, file.inode, file.mtime_ns)


def watch_event(path: str, name: FileName | ScannedFile | TranscriptFile) -> WatchEvent:
    """The event for a file that changed."""
    return WatchEvent(
        path=path,
        kind=name.kind,
        project_id=name.project_id,
        session_id=name.session_id,
        is_subagent=name.agent_id is not None,
    )


def _directories(root: Root) -> list[str]:
    # Event logs of a narrowed root may lie in a directory that nothing is in yet.
    (narrowed, _), *_ = top_folders(root)
    return [narrowed, os.path.join(root.path, "hooks"), os.path.join(root.path, "sessions")]


def _version(info: os.stat_result) -> FileVersion:
    return FileVersion(info.st_size, info.st_ino, info.st_mtime_ns)


class Watcher:
    """Watches from `with` on. Existing files count as known: start it first, then index."""

    def __init__(
        self,
        roots: Sequence[Root],
        spool: str | None = None,
        *,
        say: Callable[[str], object] = print,
        polling: bool = False,
        rescan: float = RESCAN,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._scope = WatchScope(roots, spool)
        self._listener = Listener(say, polling=polling)
        self._every = rescan
        self._clock = clock
        self._known: dict[str, KnownFile] = {}
        self._recent = RecentFiles((), clock())
        self._waiting: Coalescer[str] = Coalescer()
        self._scan: Iterator[None] | None = None
        self._scan_at = self._tune_at = self._notice_at = clock()

    def __enter__(self) -> Self:
        self._listener.tune(self._scope.directories())
        begun = self._clock()
        self._known = {known.file.path: known for known in self._scope.all()}
        newest = sorted(self._known, key=lambda path: -self._known[path].version.mtime_ns)
        self._recent = RecentFiles(newest, self._clock())
        self._scan_at = self._clock() + self._rest(self._clock() - begun)
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def batches(self, stop: Event, *, idle: float = inf) -> Iterator[tuple[WatchEvent, ...]]:
        """Batches of changed files, each file once per batch, until `stop` is set.

        A file that changes while its batch is processed is reported again. An empty batch means
        that nothing has changed for `idle` seconds.
        """
        while not stop.is_set():
            batch = self.next(stop, idle)
            if batch or not stop.is_set():
                yield batch

    def next(self, stop: Event, wait: float) -> tuple[WatchEvent, ...]:
        """The next batch; empty if nothing changes within `wait` seconds."""
        end = self._clock() + wait
        while True:
            self._listen(stop, end)
            self._run_due_tasks()
            batch = tuple(self._due())
            if batch or stop.is_set() or self._clock() >= end:
                return batch

    def _listen(self, stop: Event, until: float) -> None:
        """Wait for notices, or for the next task that is due."""
        now, due = self._clock(), self._waiting.next_due()
        at = min(self._tune_at, self._scan_at, until, inf if due is None else due)
        wait = 0.0 if self._scan else max(0.0, at - now)
        quiet = 0.0 if self._scan else now - self._notice_at
        for kind, path in self._listener.wait(wait, stop, quiet=quiet):
            self._notice_at = self._clock()
            self._on_notice(kind, path, self._notice_at)

    def _on_notice(self, kind: int, path: str, now: float) -> None:
        if path in self._known or self._scope.file(path):
            self._waiting.touch(path, now)
        elif kind == Change.added and os.path.isdir(path):
            for below in self._scope.below(path):
                self._waiting.touch(below, now)
        elif kind == Change.deleted:
            above = path + os.sep
            for known in [known for known in self._known if known.startswith(above)]:
                self._waiting.touch(known, now)

    def _run_due_tasks(self) -> None:
        """Run the tasks that are due: new directories, recent files, the full scan."""
        now = self._clock()
        if now >= self._tune_at:
            self._tune_at = now + _TUNE
            if self._listener.tune(self._scope.directories()):
                self._scan, self._scan_at = None, now  # a running one may be past it
        if self._listener.polling:
            for path in self._recent.paths(now):
                self._waiting.touch(path, now)
        if self._scan is None and now >= self._scan_at:
            self._scan = self._scan_slices()
        if self._scan is not None:
            next(self._scan, None)

    def _scan_slices(self) -> Iterator[None]:
        """Compare every file with its known version, a slice at a time."""
        seen, spent, now = set(), 0.0, self._clock()
        for number, (path, found) in enumerate(self._scope.versions(), 1):
            seen.add(path)
            known = self._known.get(path)
            if known is None or known.version != found:
                self._waiting.touch(path, now)
            if number % _SLICE == 0:
                spent += self._clock() - now
                yield
                now = self._clock()
        for path in self._known.keys() - seen:
            self._waiting.touch(path, now)
        self._scan = None
        self._scan_at = self._clock() + self._rest(spent + self._clock() - now)

    def _rest(self, spent: float) -> float:
        if not self._listener.polling:
            return max(self._every, min(_CALM * spent, _LATEST * self._every))
        return min(self._every, max(_SOONEST, _REST * spent))

    def _due(self) -> Iterator[WatchEvent]:
        now = self._clock()
        for path in self._waiting.due(now):
            if changed := self._changed(path):
                self._waiting.mark_reported(path, now)
                yield changed

    def _changed(self, path: str) -> WatchEvent | None:
        """The change of a file since it was last reported; None if it has not changed."""
        known, info = self._known.get(path), stat_file(path)
        if info is None:
            return self._gone(known) if known and is_gone(path) else None
        current = _version(info)
        if known is not None and known.version == current:
            return None
        # An agent's file may name its session only when it has grown.
        named = known.file if known and known.file.session_id else self._scope.file(path)
        if named is None or self._scope.is_forgotten(named):
            return None
        self._known[path] = KnownFile(named, current)
        self._recent.note(path, self._clock())
        return named

    def _gone(self, known: KnownFile) -> WatchEvent:
        del self._known[known.file.path]
        self._recent.forget(known.file.path)
        return structs.replace(known.file, gone=True)
