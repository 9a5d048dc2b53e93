"""Processes that only exist: a made-up running session needs one, as a real session has."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

# Lives as long as somebody holds its standard input.
_IDLE = "import sys; sys.stdin.buffer.read()"


@contextmanager
def idle_processes(count: int) -> Iterator[list[int]]:
    """So many live processes: the registry names a session's own, and proves it by that."""
    command = [sys.executable, "-I", "-S", "-c", _IDLE]
    with ExitStack() as stack:
        others = [
            stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE))  # noqa: S603 - ours
            for _ in range(count - 1)
        ]
        yield [os.getpid(), *(one.pid for one in others)]
