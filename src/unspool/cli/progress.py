"""A progress bar on the terminal; nothing elsewhere."""

import sys
from contextlib import closing
from time import monotonic
from typing import Final

from unspool.cli import config
from unspool.engine.freshness import Freshness, Sources, freshened, is_up_to_date
from unspool.engine.stores import Stores
from unspool.errors import UnspoolError
from unspool.show import times
from unspool.show.numbers import format_bytes
from unspool.show.spans import cut

_EVERY: Final = 0.1
_BAR: Final = 24


class ProgressBar:
    """Draws on standard error, apart from a command's output."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._is_shown = config.is_terminal(sys.stderr)
        self._since = monotonic()
        self._drawn = 0.0
        self._is_on = False

    def __call__(self, done: int, total: int) -> None:
        """Draw it, at most ten times a second."""
        now = monotonic()
        if self._is_shown and now - self._drawn >= _EVERY and total:
            self._drawn, self._is_on = now, True
            line = bar(self._doing, done, total, now - self._since)
            width = config.frame(sys.stderr).width
            sys.stderr.write(f"\r\x1b[K{cut(line, width and width - 1)}")
            sys.stderr.flush()

    def close(self) -> None:
        """Erase it."""
        if self._is_on:
            self._is_on = False
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def bar(doing: str, done: int, total: int, seconds: float) -> str:
    """One line: share, bytes, speed, time left."""
    share = min(done / total, 1.0)
    full = round(share * _BAR)
    parts = [f"{share:4.0%}", f"{format_bytes(done)} of {format_bytes(total)}"]
    if seconds > 1 and done:
        speed = done / seconds
        parts += [
            f"{format_bytes(int(speed))}/s",
            f"{times.duration(int((total - done) / speed * 1e3))} left",
        ]
    return f"{doing} {'━' * full}{'─' * (_BAR - full)} {' · '.join(parts)}"


def ready_index(stores: Stores, *, is_quiet: bool = False) -> Sources | None:
    """Have an index that is up to date, or say where it is behind; what it knows of every file."""
    if is_up_to_date(stores):
        return None
    with closing(ProgressBar("Indexing")) as bar:
        state, known = freshened(stores, create=True, progress=bar)
    if state is Freshness.ABSENT:
        raise UnspoolError("There is no index yet. `unspool index build` makes one.")
    if state is Freshness.BEHIND and not is_quiet:
        message = "The index is behind; `unspool index build` indexes the rest."
        print(f"unspool: {message}", file=sys.stderr)
    return known
