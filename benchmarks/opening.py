"""A large session in a new process: time and memory up to its first window, and the next one."""

import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from benchmarks.budgets import Figure
from benchmarks.memory import peak_mb

if TYPE_CHECKING:
    from unspool import Session

_RUNS = 3
_WINDOW = 20


def measured(session: Path) -> list[Figure]:
    """Open it in several new processes."""
    command = [sys.executable, "-m", "benchmarks.opening", str(session)]
    outputs = [
        subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603 - ourselves
        for _ in range(_RUNS)
    ]
    runs = [json.loads(output) for output in outputs]
    least = {name: min(run[name] for run in runs) for name in runs[0]}
    wall = f"{least['first_wall']:.2f} s on the wall"
    again = f"{least['again_wall'] * 1000:.0f} ms on the wall"
    return [
        Figure("100 MB session: first window, CPU", least["first"], "s", 1.2, 0.7, note=wall),
        Figure("100 MB session: again, CPU", least["again"] * 1000, "ms", 30, 10, note=again),
        Figure("100 MB session: memory", least["memory"], "MB", 250, 150),
    ]


def _open(path: str) -> dict[str, float]:
    cpu, wall = process_time(), perf_counter()
    import unspool  # noqa: PLC0415 - what it takes to import is part of the first window

    session = unspool.open().session(path)
    session.document(limit=_WINDOW)
    first = process_time() - cpu, perf_counter() - wall
    again = min(_again(session) for _ in range(5))
    return {
        "first": first[0],
        "first_wall": first[1],
        "again": again[0],
        "again_wall": again[1],
        "memory": peak_mb(),
    }


def _again(session: "Session") -> tuple[float, float]:
    cpu, wall = process_time(), perf_counter()
    session.refresh()
    session.document(limit=_WINDOW)
    return process_time() - cpu, perf_counter() - wall


if __name__ == "__main__":
    print(json.dumps(_open(sys.argv[1])))
