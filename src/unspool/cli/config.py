"""The surroundings of a command: environment, clock, terminal, signals, prices."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from unspool.cli import paths
from unspool.model.prices import PriceTable
from unspool.show import safe
from unspool.show.text.layout import Frame

if TYPE_CHECKING:
    from threading import Event
    from types import FrameType

    from unspool.engine.stores import Stores


def now() -> int:
    """Milliseconds since 1970."""
    return paths.now()


def local_now() -> datetime:
    """The time on this machine's clock, with its zone."""
    return datetime.now().astimezone()


def unspool_home() -> Path:
    """Where unspool keeps its own files."""
    return Path(paths.unspool_home())


def open_stores(explicit: Sequence[str] = ()) -> "Stores":
    """The index and the archive of the roots of a command line."""
    from unspool.engine.stores import Machine, Stores

    machine = Machine(now, Path.home(), paths.price_files(), warn)
    return Stores(paths.scope(explicit), machine)


def prices() -> PriceTable:
    """The prices in force."""
    table = paths.price_files().table()
    for trouble in table.trouble:
        warn(trouble)
    return table


def warn(sentence: str) -> None:
    """Print a message to stderr."""
    print(f"unspool: {safe.brief(sentence)}", file=sys.stderr)


def is_terminal(out: IO[str]) -> bool:
    """Whether it is a terminal."""
    return out.isatty()


def has_colour(out: IO[str]) -> bool:
    """Whether to write in colour: on a terminal, unless the environment says otherwise."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return is_terminal(out) or bool(os.environ.get("FORCE_COLOR"))


def frame(out: IO[str]) -> Frame:
    """The width of a terminal (a pipe has none), and the time."""
    return Frame(_width(out) if is_terminal(out) else None, now())


def _width(out: IO[str]) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(out.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


@contextmanager
def stop_event() -> "Iterator[Event]":
    """An event that SIGINT and SIGTERM set.

    A signal that was ignored at start, as in the background of a script, stays ignored.
    """
    import signal
    from threading import Event

    stop = Event()

    def stopped(_: int, __: "FrameType | None") -> None:
        stop.set()

    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stopped)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
