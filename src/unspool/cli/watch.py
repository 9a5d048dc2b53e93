"""`unspool index watch`: sweep the roots again and again until somebody says stop."""

import signal
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from time import sleep
from types import FrameType

from unspool.cli import config, daemon, stores
from unspool.cli.progress import Bar
from unspool.errors import StoreFull
from unspool.ingest.backfill import forked
from unspool.ingest.indexer import Indexer, SweepReport
from unspool.ingest.workers import Workers
from unspool.show import safe
from unspool.show.money import plural
from unspool.show.status import size

EVERY = 2.0
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def run(options: Namespace) -> int:
    """Keep the index up to date; Ctrl-C and SIGTERM end it between two commits."""
    roots, prices = config.roots(options.root), config.prices()
    try:
        # Workers are forked before anything is open, and end by the usual signal.
        with forked(roots, prices) as workers, _stopping(), closing(stores.writing()) as store:
            if options.daemon:
                daemon.enrol([root.path for root in roots])
            bar = Bar("Indexing")
            indexer = Indexer(store, roots, prices, workers=workers, progress=bar)
            _say(f"Watching {', '.join(root.path for root in roots)}.")
            _watch(Watcher(indexer, bar, is_quiet=options.daemon), workers)
    except KeyboardInterrupt:
        _say("Stopped.")
    return 0


@contextmanager
def _stopping() -> Iterator[None]:
    """SIGTERM is as good as Ctrl-C."""
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _watch(watcher: "Watcher", workers: Workers | None) -> None:
    try:
        while True:
            watcher.look()
            if workers is not None:
                workers.close()  # of use for the first look only
            sleep(EVERY)
    finally:
        # Whatever is signalled now, the index is closed as it should be.
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        watcher.bar.close()
        daemon.leave()


class Watcher:
    """Sweeps, and says what is new; what is wrong it says once."""

    def __init__(self, indexer: Indexer, bar: Bar, *, is_quiet: bool) -> None:
        self.bar = bar
        self._indexer = indexer
        self._is_quiet = is_quiet
        self._trouble: tuple[str, ...] = ()

    def look(self) -> None:
        """Take in what was written since the last look."""
        try:
            report = self._indexer.sweep(config.now())
        except StoreFull as error:
            # Nothing is lost: what was not written is read again when there is room.
            report = SweepReport(trouble=(str(error),))
        self.bar.close()
        if (report.lines or report.gone) and not self._is_quiet:
            files = plural(report.changed, "file")
            gone = f", {report.gone} gone" if report.gone else ""
            _say(f"{plural(report.lines, 'line')}, {size(report.bytes)} from {files}{gone}")
        for trouble in report.trouble:
            if trouble not in self._trouble:
                _say(trouble)
        self._trouble = report.trouble


def _say(text: str) -> None:
    print(f"{config.local_now():%F %T} {safe.brief(text)}", file=sys.stdout, flush=True)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
