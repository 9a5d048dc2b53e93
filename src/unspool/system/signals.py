"""Signals that some systems lack, and a process that ends with the one that started it."""

import os
import select
import signal
from threading import Thread
from types import FrameType

from unspool.system import optional_module
from unspool.system.forks import can_fork


def signal_number(name: str) -> int | None:
    """The number of a signal; None if this system does not have it."""
    return getattr(signal, name, None)


def stop_signals() -> tuple[int, ...]:
    """What asks a process to end: Ctrl-C, `kill`, a closed terminal."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    return tuple(number for number in map(signal_number, names) if number is not None)


def suspend() -> None:
    """Be stopped, as Ctrl-Z asks, until somebody says `fg`."""
    if number := signal_number("SIGTSTP"):
        ours = signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, ours)


def end_with_parent() -> None:
    """Have SIGTERM sent to this process when standard input ends."""
    fcntl = optional_module("fcntl")
    if not (can_fork() and fcntl and hasattr(signal, "SIGIO")):
        Thread(target=_wait_for_end, daemon=True).start()
        return
    # A process with a second thread had better not fork.
    signal.signal(signal.SIGIO, _check_input)
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    flags = getattr(os, "O_ASYNC", 0) | getattr(os, "O_NONBLOCK", 0)
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | flags)
    _check_input()  # it may have ended before anybody listened


def _check_input(_: int = 0, __: FrameType | None = None) -> None:
    if select.select([0], [], [], 0)[0] and not os.read(0, 1):
        os.kill(os.getpid(), signal.SIGTERM)


def _wait_for_end() -> None:
    try:
        while os.read(0, 4096):
            pass  # nothing that is said matters
    except OSError:
        pass
    os.kill(os.getpid(), signal.SIGTERM)
