"""Conditions to wait for, with more time than any machine needs: sleeping and hoping is none."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
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
    return any(path.endswith(f"/{name}") for path in _open_files(pid))


def open_below(place: Path) -> list[str]:
    """What this process has open below a directory; other tests' files come and go."""
    return sorted(path for path in _open_files(os.getpid()) if path.startswith(f"{place}/"))


def _open_files(pid: int) -> Iterator[str]:
    place = f"/proc/{pid}/fd"
    with suppress(OSError):  # it has ended
        for fd in os.listdir(place):
            with suppress(OSError):  # closed while we looked
                yield os.readlink(f"{place}/{fd}")
