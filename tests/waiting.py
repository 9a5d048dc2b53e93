"""Conditions to wait for, with more time than any machine needs: sleeping and hoping is none."""

import os
from collections.abc import Callable
from time import monotonic, sleep

ENOUGH = 60.0


def until(holds: Callable[[], object], seconds: float = ENOUGH) -> bool:
    """Wait until something holds; whether it came to that."""
    deadline = monotonic() + seconds
    while not (held := bool(holds())) and monotonic() < deadline:
        sleep(0.02)
    return held


def has_open(pid: int, name: str) -> bool:
    """Whether a process has opened a file of this name."""
    place = f"/proc/{pid}/fd"
    try:
        return any(os.readlink(f"{place}/{fd}").endswith(f"/{name}") for fd in os.listdir(place))
    except OSError:  # a file that was closed while we looked
        return False
