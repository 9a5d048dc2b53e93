"""How long a status line takes: idle, with new answers to count, and while an index is built.

`python -m benchmarks.statusline ROOT`, where ROOT is as `unspool gen` makes it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import gmtime, strftime

from benchmarks.budgets import Figure, table
from benchmarks.clocks import once
from unspool.demo import Transcript

_RUNS = 40
_NICE = 10


def measured(root: Path, place: Path) -> list[Figure]:
    """A root's newest session of all, before and after it is indexed; `place` is for indexes."""
    live = _begun(place)
    said = {"session_id": "live", "transcript_path": str(live), "model": {"id": "claude-opus-5"}}
    told = place / "told.json"
    told.write_text(json.dumps(said))
    roots = ["--root", str(root), "--root", str(live.parents[2])]
    line = [*_ours(), "statusline", *roots]
    around = _around(place / "whole", roots)
    subprocess.run([*_ours(), "index", "build", *roots], env=around, check=True)  # noqa: S603
    idle = _times(lambda: _run(line, told, around))
    grown = _times(lambda: _run(line, told, around), before=lambda: _append(live))
    _append(live, lambda made: made.synthetic("5-hour limit reached", error="rate_limit"))
    stopped = _times(lambda: _run(line, told, around))
    return [
        _figure("statusline, idle: p95", idle, 150, 80),
        _figure("statusline, new answers: p95", grown, 150, 80),
        _figure("statusline, stopped session: p95", stopped, 150, 80),
        _figure("statusline, during a backfill: p95", _beside(line, told, roots, place), 300, 150),
    ]


def _beside(line: list[str], told: Path, roots: list[str], place: Path) -> list[float]:
    """Times of lines while another process builds the index they ask."""
    around = _around(place / "building", roots)
    build = ["nice", "-n", str(_NICE), *_ours(), "index", "build", *roots]
    found: list[float] = []
    with subprocess.Popen(build, env=around) as building:  # noqa: S603 - ourselves
        while building.poll() is None:
            found.append(_run(line, told, around))
    return found


def _times(work: Callable[[], float], before: Callable[[], object] = int) -> list[float]:
    found = []
    for _ in range(_RUNS):
        before()
        found.append(work())
    return found


def _run(line: list[str], told: Path, around: dict[str, str]) -> float:
    with told.open("rb") as file:
        spent = once(
            lambda: subprocess.run(line, env=around, stdin=file, capture_output=True, check=True)  # noqa: S603
        )
    return spent.wall * 1_000


def _begun(place: Path) -> Path:
    made = Transcript("live", start=strftime("%FT%TZ", gmtime()), model="claude-opus-5")
    return made.user("begin").says("begun", usage={"output_tokens": 10}).save(place / "live")


def _answer(made: Transcript) -> Transcript:
    return made.says("more", usage={"output_tokens": 500})


def _append(live: Path, more: Callable[[Transcript], Transcript] = _answer) -> None:
    """A new line, as Claude Code writes one before it asks for the status line."""
    made = Transcript(
        "live", start=strftime("%FT%TZ", gmtime()), uuid_prefix=f"{live.stat().st_size}-"
    )
    with live.open("ab") as file:
        file.write(more(made).bytes())


def _around(home: Path, roots: list[str]) -> dict[str, str]:
    """The environment of an installed command: its modules are compiled."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHONDONT")}
    return {**kept, "UNSPOOL_HOME": str(home), "CLAUDE_CONFIG_DIR": ",".join(roots[1::2])}


def _figure(name: str, times: list[float], must: float, aim: float) -> Figure:
    note = f"p50 {median(times):.0f} ms, least {min(times):.0f}, of {len(times)}"
    return Figure(name, quantiles(times, n=20)[-1], "ms", must, aim, note=note)


def _ours() -> list[str]:
    script = Path(sys.executable).with_name("unspool")
    return [str(script)] if script.exists() else [sys.executable, "-m", "unspool"]


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        os.environ["HOME"] = scratch
        figures = measured(Path(sys.argv[1]), Path(scratch))
    print(table(figures))
    sys.exit(not all(figure.holds for figure in figures))
