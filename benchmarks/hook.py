"""What a hook costs beside the bare Python that runs it: `python -m benchmarks.hook`."""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from benchmarks.budgets import Figure, table
from benchmarks.clocks import once
from unspool.source import hook

_RUNS = 100
_SILENT_RUNS = 3


def measured(place: Path) -> list[Figure]:
    """Start both in turn, each with 4 KiB to read; then a hook that is told nothing."""
    python = [getattr(sys, "_base_executable", sys.executable), "-I", "-S"]
    idle, told = place / "idle.py", place / "told.json"
    idle.write_text("")
    told.write_text('{"hook_event_name": "PreToolUse", "tool_input": "' + "x" * 4_000 + '"}')
    ours = [*python, hook.__file__, str(place / "spool")]
    bare: list[float] = []
    hooked: list[float] = []
    for _ in range(_RUNS):
        bare.append(_milliseconds([*python, str(idle)], told))
        hooked.append(_milliseconds(ours, told))
    note = f"hook {median(hooked):.1f} ms, p99 {quantiles(hooked, n=100)[-1]:.0f}"
    note += f"; bare {median(bare):.1f} ms; least {min(hooked):.1f} and {min(bare):.1f}"
    return [
        Figure("hook over bare Python, p50", median(hooked) - median(bare), "ms", 3, 1, note=note),
        Figure("hook that is told nothing", max(_silence(ours)), "ms", 300),
    ]


def _milliseconds(command: list[str], told: Path) -> float:
    with told.open("rb") as file:
        return _run(command, file.fileno())


def _silence(command: list[str]) -> list[float]:
    """Hooks whose input is open and empty until they have given up."""
    ours, theirs = os.pipe()
    try:
        return [_run(command, ours) for _ in range(_SILENT_RUNS)]
    finally:
        os.close(ours)
        os.close(theirs)


def _run(command: list[str], stdin: int) -> float:
    spent = once(lambda: subprocess.run(command, stdin=stdin, check=True))  # noqa: S603 - ourselves
    return spent.wall * 1_000


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        figures = measured(Path(scratch))
    print(table(figures))
    sys.exit(not all(figure.holds for figure in figures))
