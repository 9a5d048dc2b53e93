"""A server that nobody asks, over a long history: what it holds, and what it does meanwhile.

`python -m benchmarks.idle`; the history is that of `benchmarks.search`.
"""

import os
from pathlib import Path
from time import sleep

from benchmarks.budgets import Figure, table
from benchmarks.search import kept
from benchmarks.serving import rss, standing

_SETTLES, _SECONDS = 20, 60


def measured() -> list[Figure]:
    """Memory of the server and of its writer, and their part of a processor, when all is quiet."""
    home, root = kept()
    with standing(root, home) as site:
        sleep(_SETTLES)
        every = [site.pid, *_children(site.pid)]
        before = sum(map(_cpu, every))
        sleep(_SECONDS)
        busy = (sum(map(_cpu, every)) - before) / _SECONDS * 100
        memory = [rss(pid) for pid in every]
    beside = ", ".join(f"{one:.0f} MB" for one in memory[1:])
    return [
        Figure("serve, idle: memory", memory[0], "MB", 150, 100, note=f"its writer {beside}"),
        Figure("serve, idle: of a processor", busy, "%", 1, note="both together"),
    ]


def _children(pid: int) -> list[int]:
    """Whichever of its threads began them."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    told = (path.read_text(encoding="ascii") for path in tasks)
    return [int(one) for some in told for one in some.split()]


def _cpu(pid: int) -> float:
    """Seconds a process has worked."""
    told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    print(table(measured()))
