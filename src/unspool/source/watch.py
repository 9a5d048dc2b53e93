"""Roots and spool -> the files that change, in batches, as they change.

The system tells of changes at once, a sweep finds what it did not tell: correctness never
depends on an event. All of it runs in the thread that asks for the next batch.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from math import inf
from threading import Event
from time import monotonic
from typing import Final, Self

from msgspec import structs
from watchfiles import Change

from unspool.model.files import Root
from unspool.model.watch import Changed
from unspool.source.coalesce import Coalescer
from unspool.source.listen import Listener
from unspool.source.recent import Recent
from unspool.source.watched import Known, Watched, is_gone, stamp

SWEEP: Final = 30.0
_TUNE: Final = 1.0  # how often directories are looked for that come or are replaced
_SLICE: Final = 256  # files of a sweep between two looks at what is new
_SOONEST: Final = 2.0
_REST: Final = 100  # where nothing but sweeps finds new files, one rests this often as long
_CALM, _LATEST = 200, 10  # where the system tells, so often at least, up to so many times `sweep`


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
        self._watched = Watched(roots, spool)
        self._listener = Listener(say, polling=polling)
        self._every = sweep
        self._clock = clock
        self._known: dict[str, Known] = {}
        self._recent = Recent((), clock())
        self._waiting: Coalescer[str] = Coalescer()
        self._sweep: Iterator[None] | None = None
        self._sweep_at = self._tune_at = self._heard_at = clock()

    def __enter__(self) -> Self:
        self._listener.tune(self._watched.directories())
        begun = self._clock()
        self._known = {known.file.path: known for known in self._watched.all()}
        newest = sorted(self._known, key=lambda path: -self._known[path].stamp.mtime_ns)
        self._recent = Recent(newest, self._clock())
        self._sweep_at = self._clock() + self._rest(self._clock() - begun)
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def batches(self, stop: Event, *, idle: float = inf) -> Iterator[tuple[Changed, ...]]:
        """What has changed, each file once, until `stop` is set.

        A file that changes while its batch is dealt with comes once more. An empty batch comes
        when nothing has changed for `idle` seconds.
        """
        while not stop.is_set():
            batch = self.next(stop, idle)
            if batch or not stop.is_set():
                yield batch

    def next(self, stop: Event, wait: float) -> tuple[Changed, ...]:
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
        if path in self._known or self._watched.file(path):
            self._waiting.touch(path, now)
        elif kind == Change.added and os.path.isdir(path):
            for below in self._watched.below(path):
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
            if self._listener.tune(self._watched.directories()):
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
        for number, (path, found) in enumerate(self._watched.sweep(), 1):
            seen.add(path)
            known = self._known.get(path)
            if known is None or known.stamp != found:
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

    def _due(self) -> Iterator[Changed]:
        now = self._clock()
        for path in self._waiting.due(now):
            if changed := self._changed(path):
                self._waiting.told(path, now)
                yield changed

    def _changed(self, path: str) -> Changed | None:
        """What has become of a file since it was last told of; None: nothing."""
        known, current = self._known.get(path), stamp(path)
        if current is None:
            return self._gone(known) if known and is_gone(path) else None
        if known is not None and known.stamp == current:
            return None
        # An agent's file may name its session only when it has grown.
        named = known.file if known and known.file.session_id else self._watched.file(path)
        if named is None:
            return None
        self._known[path] = Known(named, current)
        self._recent.note(path, self._clock())
        return named

    def _gone(self, known: Known) -> Changed:
        del self._known[known.file.path]
        self._recent.forget(known.file.path)
        return structs.replace(known.file, gone=True)
