"""A command that ends with the process that started it, even where that one was killed.

    python -m unspool.cli.child index watch --root DIR

Its standard input is a pipe nobody writes to: when the other end closes, its parent is gone.
"""

import os
import select
import signal
import sys
from fcntl import F_GETFL, F_SETFL, F_SETOWN, fcntl
from types import FrameType

from unspool.cli import main


def end_with_parent() -> None:
    """Have SIGTERM sent to this process when standard input ends; no thread, so it may fork."""
    signal.signal(signal.SIGIO, _check_parent)
    fcntl(0, F_SETOWN, os.getpid())
    fcntl(0, F_SETFL, fcntl(0, F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
    _check_parent()  # it may have ended before anybody listened


def _check_parent(_: int = 0, __: FrameType | None = None) -> None:
    if select.select([0], [], [], 0)[0] and not os.read(0, 1):
        os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    end_with_parent()
    sys.exit(main(sys.argv[1:]))
