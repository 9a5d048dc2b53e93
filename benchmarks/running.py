"""A command and all it leaves behind -> its time on the wall, its processor time, its memory."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

_SUBREAPER = 36


class Run(NamedTuple):
    """`wall` is until the command returned, `whole` until the last process it began was gone."""

    wall: float
    whole: float
    cpu: float  # of all of them
    peak_mb: float  # of the largest of them


def adopt() -> None:
    """Have processes that outlive their parent become ours, so that they can be waited for."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def run(command: Sequence[str], env: Mapping[str, str]) -> Run:
    """Run a command to its end, and wait for what it began."""
    start = perf_counter()
    # Only our own command and the peers that were installed beside it come here.
    running = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)  # noqa: S603
    _, status, usage = os.wait4(running.pid, 0)
    wall = perf_counter() - start
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)
    found = [usage]
    while True:
        try:
            found.append(os.wait4(-1, 0)[2])
        except ChildProcessError:
            break
    cpu = sum(one.ru_utime + one.ru_stime for one in found)
    peak = max(one.ru_maxrss for one in found) / 1_000
    return Run(wall, perf_counter() - start, cpu, peak)
