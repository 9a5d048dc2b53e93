"""Ctrl-C and SIGTERM -> an event: what is under way is finished first."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType


@contextmanager
def stopping() -> Iterator[Event]:
    """An event that is set when somebody wants it to end."""
    stop = Event()

    def stopped(_: int, __: FrameType | None) -> None:
        stop.set()

    before = {one: signal.signal(one, stopped) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
