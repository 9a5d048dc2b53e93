"""Ctrl-C and SIGTERM -> an event: what is under way is finished first."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType


@contextmanager
def stopping() -> Iterator[Event]:
    """An event that is set when somebody wants it to end.

    Started with Ctrl-C ignored, as in the background of a script, it goes on ignoring it.
    """
    stop = Event()

    def stopped(_: int, __: FrameType | None) -> None:
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
