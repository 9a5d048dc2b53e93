"""What `unspool --version` takes, beside a Python that does nothing."""

import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks.budgets import Figure
from benchmarks.clocks import interleaved

_RUNS = 25


def measured() -> list[Figure]:
    """Start both in turn."""
    script = Path(sys.executable).with_name("unspool")
    ours = [str(script)] if script.exists() else [sys.executable, "-m", "unspool"]
    works = {
        "bare": partial(_run, [sys.executable, "-I", "-c", "pass"]),
        "version": partial(_run, [*ours, "--version"]),
    }
    times = interleaved(works, _RUNS)
    bare, version = times["bare"].wall, times["version"].wall
    note = f"{version * 1000:.0f} ms, bare {bare * 1000:.0f} ms"
    return [Figure("unspool --version against bare Python", version / bare, "x", 2.5, 2, note=note)]


def _run(command: list[str]) -> None:
    subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - ourselves
