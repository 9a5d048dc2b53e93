"""Indexes files as they are written, and reports what changed."""

from collections.abc import Callable, Iterator
from threading import Event
from time import monotonic
from types import TracebackType
from typing import Final, Protocol, TypeAlias

from msgspec import Struct, structs

from unspool.engine.indexing.indexer import Indexer, SweepReport
from unspool.errors import StoreFull
from unspool.model.files import WatchEvent

RETRY: Final = 2.0  # between tries to write where there was no room
_LATER: Final = 31.0  # until a last line without an end is taken as it is
_LINK: Final = 1.0
_SWEEP: Final = 600.0  # the watcher's own, twice a minute at most, sees less
_REST: Final = 1.0
_FORGOTTEN: Final = 3 * _LATER
_AGAIN: Final = "The index can be written again; nothing was lost."


class WakeUp(Struct, frozen=True, kw_only=True):
    """What one wake-up brought: rows up to `seq` can be read; `messages` are new."""

    seq: int
    report: SweepReport = SweepReport()
    changed: tuple[WatchEvent, ...] = ()
    messages: tuple[str, ...] = ()


Tell: TypeAlias = Callable[[WakeUp], object]


class ChangeSource(Protocol):
    """Tells of changes from `with` on, as `source.watch.Watcher` does."""

    def __enter__(self) -> object: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...

    def next(self, stop: Event, wait: float) -> tuple[WatchEvent, ...]:
        """The next changes; none when it takes longer than `wait` seconds."""


class Follow:
    """Keeps an index up to date from when it is run until it is told to stop.

    First it watches, then it takes in what is there, and what is written meanwhile goes first.
    """

    def __init__(
        self,
        indexer: Indexer,
        watcher: ChangeSource,
        tell: Tell,
        *,
        now: Callable[[], int],
        obey: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._obey = obey  # tombstones: whether there was anything new
        self._indexer = indexer
        self._watcher = watcher
        self._tell = tell
        self._now = now
        self._clock = clock
        self._again: tuple[str, ...] = ()
        self._later: dict[str, float] = {}
        self._said: dict[str, float] = {}
        self._is_shut = False  # nothing can be written
        self._seq = 0
        self._sweep_at = self._link_at = clock()

    def run(self, stop: Event) -> None:
        """Follow until `stop` is set."""
        try:
            with self._watcher:
                while not stop.is_set():
                    self._forget()
                    if self._clock() >= self._sweep_at:
                        self._sweep(stop)
                    else:
                        self._wake(stop)
        except _Stopped:
            return

    def _forget(self) -> None:
        """Erase what was forgotten; what was restored is on the disk, and a sweep finds it."""

        def obeyed() -> SweepReport:
            if self._obey():
                self._sweep_at = self._clock()
            return SweepReport()

        if not self._is_shut and (report := self._tried(obeyed)).trouble:
            self._report(report)

    def _sweep(self, stop: Event) -> None:
        """Take in whatever is there, old and new."""
        self._again = ()
        report = self._tried(lambda: self._swept(stop))
        if not self._is_shut:
            self._sweep_at = self._clock() + _SWEEP
        self._put_off(report)
        self._report(report)

    def _swept(self, stop: Event) -> SweepReport:
        report = self._indexer.sweep(self._now(), between=lambda: self._glance(stop))
        self._indexer.tidy(self._now())
        return report

    def _glance(self, stop: Event) -> None:
        """While a sweep goes on: tell how far it is, and look at what is new."""
        if stop.is_set():
            raise _Stopped
        changed = self._watcher.next(stop, 0.0)
        self._report(self._look(changed), changed)

    def _wake(self, stop: Event) -> None:
        """Wait for news, and take them in."""
        rest = 0.0 if self._again else min(_REST, max(0.0, self._sweep_at - self._clock()))
        changed = self._watcher.next(stop, rest)
        if self._is_shut:
            self._report(SweepReport(), changed)  # a sweep will find them
            return
        self._report(self._tried(lambda: self._look(changed)), changed)
        if self._clock() >= self._link_at and not self._is_shut:
            self._link()

    def _look(self, changed: tuple[WatchEvent, ...]) -> SweepReport:
        """Take in what a batch of changes tells of, and what was put off."""
        now = self._clock()
        due = [path for path, at in self._later.items() if at <= now]
        there = [one.path for one in changed if not one.gone and one.kind != "registry"]
        gone = self._indexer.lost((one.path for one in changed if one.gone), self._now())
        report = self._indexer.look([*self._again, *there, *due], self._now())
        self._again = report.again
        for path in (*there, *due):
            self._later.pop(path, None)
        self._put_off(report)
        return structs.replace(report, gone=gone)

    def _put_off(self, report: SweepReport) -> None:
        """Remember which files to look at in a while, though nobody may tell of them."""
        self._later.update(dict.fromkeys(report.later, self._clock() + _LATER))

    def _link(self) -> None:
        """Agents are linked a little later than their lines come: that takes whole sessions."""
        self._link_at = self._clock() + _LINK
        self._tried(lambda: SweepReport(sessions=self._indexer.link()))
        self._report(SweepReport())

    def _tried(self, work: Callable[[], SweepReport]) -> SweepReport:
        """Do something that writes; where nothing can be written, that is not the end."""
        try:
            report = work()
        except StoreFull as error:
            self._is_shut, self._again = True, ()
            self._sweep_at = self._clock() + RETRY
            return SweepReport(trouble=(str(error),))
        if self._is_shut:
            self._is_shut = False
            self._said.clear()
            return structs.replace(report, trouble=(*report.trouble, _AGAIN))
        return report

    def _report(self, report: SweepReport, changed: tuple[WatchEvent, ...] = ()) -> None:
        """Tell, if there is anything to tell."""
        said, seq = tuple(self._news(report.trouble)), self._indexer.head()
        if changed or said or report.files or report.changed or seq != self._seq:
            self._seq = seq
            self._tell(WakeUp(seq=seq, report=report, changed=changed, messages=said))

    def _news(self, trouble: tuple[str, ...]) -> Iterator[str]:
        """What was not said before; what has not come up for a while is news again."""
        now = self._clock()
        self._said = {text: at for text, at in self._said.items() if now - at < _FORGOTTEN}
        for text in trouble:
            if text not in self._said:
                yield text
            self._said[text] = now


class _Stopped(Exception):
    """Somebody said stop while a sweep went on."""
