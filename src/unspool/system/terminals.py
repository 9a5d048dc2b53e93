"""Terminals and pipes: keys as they are typed, and waiting for input."""

import os
import select
from contextlib import suppress

from unspool.system import optional_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def has_key_mode() -> bool:
    """Whether keys can be read one by one here; not on Windows."""
    return optional_module("termios") is not None


def key_mode(fd: int) -> "Any":
    """Have keys come one by one, unseen; returns the mode before, for `restore_mode`."""
    termios, tty = optional_module("termios"), optional_module("tty")
    before = termios.tcgetattr(fd)
    tty.setcbreak(fd, termios.TCSANOW)
    return before


def restore_mode(fd: int, mode: "Any") -> None:
    """Give a terminal back as it was; its window may be closed."""
    termios = optional_module("termios")
    with suppress(termios.error):
        termios.tcsetattr(fd, termios.TCSANOW, mode)


def wake_pipe() -> tuple[int, int]:
    """Two ends of a pipe: to be woken by, and to write to from a signal handler."""
    woken, waker = os.pipe()
    if hasattr(os, "set_blocking"):
        os.set_blocking(waker, False)
    return woken, waker


def is_ready(fd: int, seconds: float) -> bool:
    """Wait until there is something to read; True at once on Windows, which cannot tell."""
    poll = getattr(select, "poll", None)
    if poll is None:
        return True
    # Not `select.select`: it refuses descriptors from 1024 on.
    waiting = poll()
    waiting.register(fd, getattr(select, "POLLIN", 1))
    return bool(waiting.poll(seconds * 1_000))
