"""Processes that begin as copies of this one, where that is safe, and how many are worth it."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from typing import Any


def can_fork() -> bool:
    """Whether a process may go on as two.

    Not on macOS: its own libraries start threads, and their locks would stay taken in the copy.
    Where it may not, the work is done in one process.
    """
    return hasattr(os, "fork") and sys.platform != "darwin"


def fork() -> int:
    """Go on as two processes: 0 in the new one, its id in this one."""
    pid: int = getattr(os, "fork")()  # noqa: B009 - not every system has it
    return pid


def fork_worker(
    work: "Callable[[Connection[Any, Any], list[Connection[Any, Any]]], object]",
    others: "Sequence[Connection[Any, Any]]",
) -> "tuple[BaseProcess, Connection[Any, Any]]":
    """Start a function in a process that ends with this one; and our end of a pipe to it.

    It gets its own end, and the ends that are ours alone: this one and `others`.
    """
    import multiprocessing  # noqa: PLC0415 - a scan forks without it

    context: Any = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs, [*others, ours]), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def lower_priority(pid: int, nice: int) -> None:
    """Let other processes run before this one, where a system has priorities."""
    if hasattr(os, "setpriority"):
        with suppress(OSError):  # it may have ended
            os.setpriority(getattr(os, "PRIO_PROCESS", 0), pid, nice)
