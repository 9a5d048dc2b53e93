"""Roots and spool -> the files that change, in batches, as they change.

The system tells of changes at once, a sweep finds what it did not tell: correctness never
depends on an event. All of it runs in the thread that asks for the next batch.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from math import inf
from threading import Event
from time import monotonic
from typing import Final, NamedTuple, Self

from msgspec import structs
from watchfiles import Change

from unspool.model.files import Root, TranscriptFile, WatchEvent
from unspool.source.claude_code import SPOOL, FileName, name_file, top_folders
from unspool.source.coalesce import Coalescer
from unspool.source.files import (
    INDEXED_KINDS,
    ScannedFile,
    identify,
    is_gone,
    scan_below,
    scan_files,
    stat_file,
)
from unspool.source.listen import Listener
from unspool.source.recent import Recent
from unspool.source.spool import spool_files

SWEEP: Final = 30.0
_TUNE: Final = 1.0  # how often directories are looked for that come or are replaced
_SLICE: Final = 256  # files of a sweep between two looks at what is new
_SOONEST: Final = 2.0
_REST: Final = 100  # where nothing but sweeps finds new files, one rests this often as long
_KINDS: Final = INDEXED_KINDS | {"registry"}
_CALM, _LATEST = 200, 10  # where the system tells, so often at least, up to so many times `sweep`


class FileVersion(NamedTuple):
    """What tells a file that has changed from one that has not; one written anew may be as long."""

    size: int
    inode: int
    mtime_ns: int


class Known(NamedTuple):
    """A file as it was last seen."""

    file: WatchEvent
    version: FileVersion


class WatchScope:
    """The places where Claude Code and its hooks write."""

    def __init__(self, roots: Sequence[Root], spool: str | None = None) -> None:
        self._roots = roots
        self._spool = spool

    def directories(self) -> list[str]:
        """Every directory worth watching, there or not yet."""
        found = [directory for root in self._roots for directory in _directories(root)]
        return list(dict.fromkeys([*found, self._spool] if self._spool else found))

    def file(self, path: str) -> WatchEvent | None:
        """Which file a path is; None for what nobody reads. Links are not followed."""
        above, name = os.path.split(path)
        if self._spool and above == self._spool:
            return WatchEvent(path=path, kind="spool") if name_file(SPOOL, name) else None
        found = (identify(root, path) for root in self._roots)
        return next((changed_file(path, name) for name in found if name), None)

    def below(self, directory: str) -> Iterator[str]:
        """The files of a directory that has just appeared: they may be older than our watch."""
        if not os.path.islink(directory):
            for root in self._roots:
                yield from (file.path for file in scan_below(root, directory, _KINDS))

    def all(self) -> Iterator[Known]:
        """Every file there is, a project at a time."""
        for root in self._roots:
            for file in scan_files(root, _KINDS):
                yield Known(changed_file(file.path, file), _version(file.info))
        for path, version in self._spooled():
            yield Known(WatchEvent(path=path, kind="spool"), version)

    def versions(self) -> Iterator[tuple[str, FileVersion]]:
        """The version of each of them; what kind of file it is need not be asked again."""
        for root in self._roots:
            for file in scan_files(root, _KINDS, with_sessions=False):
                yield file.path, _version(file.info)
        yield from self._spooled()

    def _spooled(self) -> Iterator[tuple[str, FileVersion]]:
        for file in spool_files(self._spool) if self._spool else ():
            yield file.path, FileVersion(file.size, file.inode, file.mtime_ns)


def changed_file(path: str, name: FileName | ScannedFile | TranscriptFile) -> WatchEvent:
    """What is told of a file that changed."""
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
    """Watches from `with` on. What is there then counts as known: start it, then index."""

    def __init__(
        self,
        roots: Sequence[Root],
        spool: str | None = None,
        *,
        say: Callable[[str], object] = print,
        polling: bool = False,
        sweep: float = SWEEP,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._scope = WatchScope(roots, spool)
        self._listener = Listener(say, polling=polling)
        self._every = sweep
        self._clock = clock
        self._known: dict[str, Known] = {}
        self._recent = Recent((), clock())
        self._waiting: Coalescer[str] = Coalescer()
        self._sweep: Iterator[None] | None = None
        self._sweep_at = self._tune_at = self._heard_at = clock()

    def __enter__(self) -> Self:
        self._listener.tune(self._scope.directories())
        begun = self._clock()
        self._known = {known.file.path: known for known in self._scope.all()}
        newest = sorted(self._known, key=lambda path: -self._known[path].version.mtime_ns)
        self._recent = Recent(newest, self._clock())
        self._sweep_at = self._clock() + self._rest(self._clock() - begun)
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def batches(self, stop: Event, *, idle: float = inf) -> Iterator[tuple[WatchEvent, ...]]:
        """What has changed, each file once, until `stop` is set.

        A file that changes while its batch is dealt with comes once more. An empty batch comes
        when nothing has changed for `idle` seconds.
        """
        while not stop.is_set():
            batch = self.next(stop, idle)
            if batch or not stop.is_set():
                yield batch

    def next(self, stop: Event, wait: float) -> tuple[WatchEvent, ...]:
        """The next batch; an empty one when it takes longer than `wait` seconds."""
        end = self._clock() + wait
        while True:
            self._listen(stop, end)
            self._look_around()
            batch = tuple(self._due())
            if batch or stop.is_set() or self._clock() >= end:
                return batch

    def _listen(self, stop: Event, until: float) -> None:
        """Wait for news, or for the next thing there is to do."""
        now, due = self._clock(), self._waiting.next_due()
        at = min(self._tune_at, self._sweep_at, until, inf if due is None else due)
        wait = 0.0 if self._sweep else max(0.0, at - now)
        quiet = 0.0 if self._sweep else now - self._heard_at
        for kind, path in self._listener.wait(wait, stop, quiet=quiet):
            self._heard_at = self._clock()
            self._hear(kind, path, self._heard_at)

    def _hear(self, kind: int, path: str, now: float) -> None:
        if path in self._known or self._scope.file(path):
            self._waiting.touch(path, now)
        elif kind == Change.added and os.path.isdir(path):
            for below in self._scope.below(path):
                self._waiting.touch(below, now)
        elif kind == Change.deleted:
            above = path + os.sep
            for known in [known for known in self._known if known.startswith(above)]:
                self._waiting.touch(known, now)

    def _look_around(self) -> None:
        """Do what has its time: new directories, the files in use, the sweep."""
        now = self._clock()
        if now >= self._tune_at:
            self._tune_at = now + _TUNE
            if self._listener.tune(self._scope.directories()):
                self._sweep, self._sweep_at = None, now  # one that has begun may be past it
        if self._listener.polling:
            for path in self._recent.paths(now):
                self._waiting.touch(path, now)
        if self._sweep is None and now >= self._sweep_at:
            self._sweep = self._sweeping()
        if self._sweep is not None:
            next(self._sweep, None)

    def _sweeping(self) -> Iterator[None]:
        """Compare every file there is with what is known, a slice at a time."""
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
        self._sweep = None
        self._sweep_at = self._clock() + self._rest(spent + self._clock() - now)

    def _rest(self, spent: float) -> float:
        if not self._listener.polling:
            return max(self._every, min(_CALM * spent, _LATEST * self._every))
        return min(self._every, max(_SOONEST, _REST * spent))

    def _due(self) -> Iterator[WatchEvent]:
        now = self._clock()
        for path in self._waiting.due(now):
            if changed := self._changed(path):
                self._waiting.told(path, now)
                yield changed

    def _changed(self, path: str) -> WatchEvent | None:
        """What has become of a file since it was last told of; None: nothing."""
        known, info = self._known.get(path), stat_file(path)
        if info is None:
            return self._gone(known) if known and is_gone(path) else None
        current = _version(info)
        if known is not None and known.version == current:
            return None
        # An agent's file may name its session only when it has grown.
        named = known.file if known and known.file.session_id else self._scope.file(path)
        if named is None:
            return None
        self._known[path] = Known(named, current)
        self._recent.note(path, self._clock())
        return named

    def _gone(self, known: Known) -> WatchEvent:
        del self._known[known.file.path]
        self._recent.forget(known.file.path)
        return structs.replace(known.file, gone=True)
