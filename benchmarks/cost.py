"""`unspool cost` beside ccusage and agentsview, in turn and on the same root.

    python -m benchmarks.cost [ROOT]

Without a root one of 1 GB is made. Peers are looked for in the directory UNSPOOL_PEERS names;
`make bench-peers` puts them there. Every one of them gets a home of its own.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.budgets import Figure, kept, table
from benchmarks.running import Run, adopt, run
from unspool.demo import generate
from unspool.source.prices import bundled

RESULTS = Path(__file__).parent / "results"
_MB = 1_000
_RUNS = 4
_CCUSAGE = "node_modules/@ccusage/ccusage-linux-x64/bin/ccusage"
_AGENTSVIEW = "venv/bin/agentsview"


def main() -> int:
    """Measure, print and keep; 1 when something that must hold does not."""
    adopt()
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        place = Path(scratch)
        root = Path(sys.argv[1]) if len(sys.argv) > 1 else _made(place / "root")
        figures = measured(root, Path(os.environ.get("UNSPOOL_PEERS", "")), place)
    print(table(figures))
    kept(RESULTS / "cost.json", figures)
    return int(not all(figure.holds for figure in figures))


def _made(path: Path) -> Path:
    generate(path, mb=_MB, seed=7, prices=json.loads(bundled()))
    return path


def measured(root: Path, peers: Path, place: Path) -> list[Figure]:
    """All figures, of ours and of the peers that are there."""
    works = _works(root, peers, place)
    runs: dict[str, list[Run]] = {name: [] for name in works}
    for _ in range(_RUNS):
        for name, work in works.items():
            runs[name].append(work())
    best = {name: _best(found) for name, found in runs.items()}
    return [*_first(best), *_again(best)]


def _works(root: Path, peers: Path, place: Path) -> dict[str, Callable[[], Run]]:
    env = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(place / "home"),
        "CLAUDE_CONFIG_DIR": str(root),
        "UNSPOOL_HOME": str(place / "unspool"),
        "AGENTSVIEW_NO_DAEMON": "1",
    }
    (place / "home").mkdir()
    ours = [str(Path(sys.executable).with_name("unspool")), "cost", "daily", "--json"]

    def cold() -> Run:
        shutil.rmtree(place / "unspool", ignore_errors=True)
        return run(ours, env)

    works: dict[str, Callable[[], Run]] = {"cold": cold, "warm": lambda: run(ours, env)}
    if (peers / _CCUSAGE).is_file():
        works["ccusage"] = lambda: run(_ccusage(peers), env)
    if (peers / _AGENTSVIEW).is_file():
        viewer = str(peers / _AGENTSVIEW)
        run([viewer, "sync"], env)
        works["agentsview"] = lambda: run(
            [viewer, "usage", "daily", "--all", "--json", "--offline"], env
        )
    return works


def _ccusage(peers: Path) -> list[str]:
    program = peers / _CCUSAGE
    program.chmod(0o755)
    return [str(program), "claude", "daily", "--json", "--offline"]


def _best(runs: list[Run]) -> Run:
    return Run(*(min(column) for column in zip(*runs, strict=True)))


def _first(best: Mapping[str, Run]) -> list[Figure]:
    cold, peer = best["cold"], best.get("ccusage")
    note = f"{cold.wall:.2f} s; all is kept after {cold.whole:.2f} s and {cold.cpu:.2f} s of cpu"
    figures = [
        Figure("cost daily, first run: largest process", cold.peak_mb, "MB", must=150),
        Figure("cost daily, first run", cold.wall, "s", note=note),
    ]
    if peer is not None:
        told = f"{peer.wall:.2f} s, {peer.cpu:.2f} s of cpu, {peer.peak_mb:.0f} MB"
        ratio = peer.wall / cold.wall
        share = cold.cpu / peer.cpu
        figures.append(_ratio("cost daily, first run, against ccusage", ratio, 1.7, 2, told))
        figures.append(Figure("cost daily, first run, CPU against ccusage", share, "x", must=1))
    return figures


def _again(best: Mapping[str, Run]) -> list[Figure]:
    warm = best["warm"]
    note = f"{warm.cpu * 1_000:.0f} ms of cpu, {warm.peak_mb:.0f} MB"
    figures = [Figure("cost daily, again", warm.wall * 1_000, "ms", must=300, note=note)]
    for name, must, aim in (("ccusage", 20, 30), ("agentsview", 4, 6)):
        if name in best:
            peer = best[name]
            told = f"{peer.wall * 1_000:.0f} ms, {peer.cpu:.2f} s of cpu"
            ratio = peer.wall / warm.wall
            figures.append(_ratio(f"cost daily, again, against {name}", ratio, must, aim, told))
    return figures


def _ratio(name: str, value: float, must: float, aim: float, note: str) -> Figure:
    return Figure(name, value, "x", must, aim, more_is_better=True, note=note)


if __name__ == "__main__":
    sys.exit(main())
