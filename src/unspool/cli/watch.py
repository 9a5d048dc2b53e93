"""`unspool index watch`: index what is written as it is written, until stopped."""

import gc
import signal
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Event, Thread
from types import FrameType
from typing import Final

from unspool.cli import config, daemon
from unspool.cli.progress import ProgressBar
from unspool.engine.forgetting.erase import TombstoneFollower
from unspool.engine.indexing.backfill import forked
from unspool.engine.indexing.follow import Follow, WakeUp
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.workers import Workers
from unspool.engine.sessions.project_groups import ProjectGroups
from unspool.engine.settings import settings
from unspool.show import safe
from unspool.show.numbers import format_bytes, plural
from unspool.source.watch import Watcher
from unspool.system.forks import lower_priority

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_NICE: Final = 10
_LAST_LOOK: Final = 2.0
# What a log says while all is well.
WATCHING: Final = "Watching"
STOPPED: Final = "Stopped."


def run(options: Namespace) -> int:
    """Keep the index up to date; Ctrl-C and SIGTERM end it between two commits."""
    stores, prices = config.open_stores(options.root), config.prices()
    roots, spool = stores.roots, stores.spool
    try:
        # Workers are forked before anything is open, and end with the usual signal.
        with forked(roots) as workers, _stopping(), closing(stores.writing()) as store:
            _yield_to_others(workers)
            if options.daemon:
                daemon.write_pid_file(stores.home, [root.path for root in roots])
            bar = ProgressBar("Indexing")
            indexer = Indexer(store, roots, prices, workers=workers, progress=bar, spool=spool)
            _say(f"{WATCHING} {', '.join(root.path for root in roots)}.")
            is_quiet = options.daemon or options.quiet
            reporter = WatchReporter(bar, workers, stores.groups, is_quiet=is_quiet)
            watcher = Watcher(roots, spool, say=_say)
            obey = TombstoneFollower(
                stores.tombstones, stores.home, indexer, lambda: stores.erase_forgotten(store)
            )
            with nullcontext() if options.no_alerts else alerting(options.root, _say):
                follow = Follow(indexer, watcher, reporter, now=config.now, obey=obey)
                _follow(follow, bar, stores.home)
    except KeyboardInterrupt:
        _say(STOPPED)
    return 0


@contextmanager
def _stopping() -> Iterator[None]:
    """Treat SIGTERM as Ctrl-C."""
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _yield_to_others(workers: Workers | None) -> None:
    """Lower the priority of the workers: old files can wait for new lines and other programs."""
    for pid in workers.pids if workers else ():
        lower_priority(pid, _NICE)


@contextmanager
def alerting(explicit: Sequence[str], say: Callable[[str], object]) -> Iterator[None]:
    """Look for alerts in a thread; without rules, nothing runs."""
    mine = settings(config.unspool_home())
    if not mine.rules:
        for trouble in mine.trouble:
            say(trouble)
        yield
        return
    stop = Event()
    looking = Thread(target=_look, args=(explicit, stop, say), daemon=True)
    looking.start()
    try:
        yield
    finally:
        stop.set()
        looking.join(_LAST_LOOK)


def _look(explicit: Sequence[str], stop: Event, say: Callable[[str], object]) -> None:
    from unspool.cli.boards import notifying_boards, open_board

    try:
        for _ in notifying_boards(open_board(explicit, say), stop):
            pass  # a board has sent its alerts before it is yielded
    except Exception as error:
        say(f"Alerts have stopped: {error}")


def _follow(follow: Follow, bar: ProgressBar, home: Path) -> None:
    try:
        follow.run(Event())
    finally:
        # Signals are ignored from here on: the index is closed in order.
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        bar.close()
        daemon.remove_pid_file(home)


class WatchReporter:
    """Prints what each wake-up brought, and keeps what is known of new checkouts."""

    def __init__(
        self,
        bar: ProgressBar,
        workers: Workers | None,
        groups: ProjectGroups,
        *,
        is_quiet: bool,
    ) -> None:
        self._bar = bar
        self._workers = workers
        self._groups = groups
        self._is_quiet = is_quiet

    def __call__(self, woken: WakeUp) -> None:
        report = woken.report
        with suppress(OSError):  # a full disk: the next one does it
            changed = {one.project_id for one in woken.changed if one.project_id}
            self._groups.remember(None if report.files else changed)
        if report.files:  # a full scan is over
            self._bar.close()
            if self._workers is not None:
                self._workers.close()  # only the first scan needs them
            gc.freeze()  # these objects stay: collecting them would delay each line
        if (report.lines or report.gone) and not self._is_quiet:
            files = plural(report.changed, "file")
            gone = f", {report.gone} gone" if report.gone else ""
            self._say(
                f"{plural(report.lines, 'line')}, {format_bytes(report.bytes)} from {files}{gone}"
            )
        for message in woken.messages:
            self._say(message)

    def _say(self, text: str) -> None:
        self._bar.close()
        _say(text)


def _say(text: str) -> None:
    print(f"{config.local_now():%F %T} {safe.brief(text)}", file=sys.stdout, flush=True)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
