"""What a hook costs beside the bare Python that runs it: `python -m benchmarks.hook`."""

import subprocess
import sys
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from benchmarks.budgets import Figure, table
from benchmarks.clocks import once
from unspool.source import hook

_RUNS = 100


def measured(place: Path) -> list[Figure]:
    """Start both in turn, each with 4 KiB to read."""
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
    ]


def _milliseconds(command: list[str], told: Path) -> float:
    with told.open("rb") as file:
        spent = once(lambda: subprocess.run(command, stdin=file, check=True))  # noqa: S603 - ourselves
    return spent.wall * 1_000


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        figures = measured(Path(scratch))
    print(table(figures))
    sys.exit(not all(figure.holds for figure in figures))
