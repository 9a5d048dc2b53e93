"""One process at a time makes the first ledger; who comes second waits, for a while."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep

try:
    import fcntl
except ImportError:  # Windows: there both make one, and the first stays
    fcntl = None  # type: ignore[assignment]

_OFTEN = 0.02


@contextmanager
def claimed(home: str, seconds: float) -> Iterator[bool]:
    """Whether the ledger is ours to make.

    Processes that are forked meanwhile hold the claim too, until the last of them has ended.
    """
    try:
        os.makedirs(home, 0o700, exist_ok=True)
        lock = os.open(
            os.path.join(home, "scan.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
    except OSError:
        yield False  # nothing can be kept there
        return
    try:
        yield _taken(lock, monotonic() + seconds)
    finally:
        os.close(lock)


def _taken(lock: int, end: float) -> bool:
    while fcntl is not None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if monotonic() > end:
                return False
            sleep(_OFTEN)
        except OSError:
            return True  # a file system without locks
    return True
