"""A root -> its index, in a new process: how long, how much memory, how large.

    python -m benchmarks.index ROOT

does it for a root of your own, beside agentsview where UNSPOOL_PEERS names the directory it is
in (`make bench-peers`). With UNSPOOL_BENCH_GB=4 roots of 100 MB and 4 GB are made and compared
instead, and one session of 1 GB is indexed; that takes some minutes.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.budgets import Figure, kept, table
from benchmarks.making import long_session
from benchmarks.memory import peak_mb
from benchmarks.running import Run, adopt, run
from unspool.decode.prices import price_table
from unspool.demo import generate
from unspool.engine.indexing.backfill import build
from unspool.engine.indexing.workers import usual_count
from unspool.source.prices import bundled
from unspool.source.roots import find_roots
from unspool.store.sqlite.store import SqliteStore

RESULTS = Path(__file__).parent / "results"
_NOW = 1_790_000_000_000
_RUNS = 2
_AGENTSVIEW = "venv/bin/agentsview"
_LONG_MB = 1_000


def measured(name: str, root: Path) -> list[Figure]:
    """Index it once into a new home, and once again with nothing new."""
    first, again = _twice(root)
    speed, cpu = first["mb"] / first["wall"], first["cpu"]
    spent = f"{first['wall']:.1f} s, {cpu:.1f} s of CPU, {usual_count()} workers"
    share = {kind: 100 * first[kind] / first["mb"] for kind in ("index", "raw")}
    return [
        Figure(f"{name}: index", speed, "MB/s", None, 50, more_is_better=True, note=spent),
        Figure(f"{name}: index, a second of CPU", first["mb"] / cpu, "MB", 15, 25, True),
        *_memory(name, first),
        Figure(f"{name}: index, share of the source", share["index"], "%", 15),
        Figure(f"{name}: archive, share of the source", share["raw"], "%", 25),
        Figure(f"{name}: again, nothing new", again["wall"] * 1000, "ms"),
    ]


def beside(root: Path, peers: Path) -> list[Figure]:
    """The whole command, in turn with agentsview's; nothing where that is not installed."""
    if not (peers / _AGENTSVIEW).is_file():
        return []
    adopt()
    ours, theirs = [], []
    for _ in range(_RUNS):
        with TemporaryDirectory(prefix="unspool-index-") as place:
            ours.append(_command(root, Path(place), "unspool", "index", "build"))
            theirs.append(_command(root, Path(place), str(peers / _AGENTSVIEW), "sync"))
    fast, slow = _best(ours), _best(theirs)
    note = f"{fast.wall:.1f} s against {slow.wall:.1f} s; CPU {fast.cpu:.1f} s, {slow.cpu:.1f} s"
    ratio = slow.wall / fast.wall
    return [Figure("index build, against agentsview sync", ratio, "x", 3, 5, True, note)]


def growth(place: Path, gigabytes: int) -> list[Figure]:
    """Whether a megabyte costs more in a large history, and what one long session takes."""
    small = _indexed(place, lambda path: _generated(path, 100))
    large = _indexed(place, lambda path: _generated(path, 1_000 * gigabytes))
    long = _indexed(place, _with_one_session)
    ratio = (large["cpu"] / large["mb"]) / (small["cpu"] / small["mb"])
    told = f"{large['cpu']:.0f} s of CPU for {large['mb']:.0f} MB, {large['wall']:.0f} s"
    return [
        Figure(f"index: CPU a MB, {gigabytes} GB against 100 MB", ratio, "x", 1.5, 1.1, note=told),
        *_memory(f"{gigabytes} GB", large),
        *_memory("one session of 1 GB", long),
    ]


def _memory(name: str, found: dict[str, float]) -> list[Figure]:
    return [
        Figure(f"{name}: memory of the writer", found["memory"], "MB", 250),
        Figure(f"{name}: memory of a worker", found["worker"], "MB", 250),
    ]


def _command(root: Path, place: Path, program: str, *args: str) -> Run:
    """A command in a home of its own, which is empty before."""
    home = place / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    env = {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))),
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(root),
        "UNSPOOL_HOME": str(home / "unspool"),
        "AGENTSVIEW_NO_DAEMON": "1",
    }
    found = shutil.which(program, path=env["PATH"]) or program
    return run([found, *args], env)


def _best(runs: list[Run]) -> Run:
    return Run(*(min(column) for column in zip(*runs, strict=True)))


def _generated(path: Path, mb: int) -> None:
    generate(path, mb=mb, seed=9, prices=json.loads(bundled()))


def _with_one_session(path: Path) -> None:
    long_session(path / "projects" / "-large" / "large.jsonl", _LONG_MB)


def _indexed(place: Path, make: Callable[[Path], None]) -> dict[str, float]:
    """Index a root that is made for it, and gone afterwards."""
    with TemporaryDirectory(prefix="unspool-root-", dir=place) as made:
        make(Path(made) / "root")
        return _twice(Path(made) / "root")[0]


def _twice(root: Path) -> list[dict[str, float]]:
    with TemporaryDirectory(prefix="unspool-index-") as home:
        return [_run(root, Path(home)) for _ in range(2)]


def _run(root: Path, home: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.index", str(root), str(home)]
    done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - ourselves
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _index(root: Path, home: Path) -> dict[str, float]:
    start = perf_counter()
    roots, prices = find_roots([root], {}, root), price_table(bundled())
    report = build(lambda: SqliteStore(home), roots, prices, _NOW)
    wall = perf_counter() - start
    ours, theirs = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return {
        "mb": report.bytes / 1e6,
        "wall": wall,
        "cpu": sum(each.ru_utime + each.ru_stime for each in (ours, theirs)),
        "memory": peak_mb(),
        "worker": theirs.ru_maxrss / 1e3,
        "index": (home / "index.db").stat().st_size / 1e6,
        "raw": (home / "raw.db").stat().st_size / 1e6,
    }


def main() -> int:
    """Measure, print and keep; 1 when something that must hold does not."""
    if len(sys.argv) > 2:
        print(json.dumps(_index(Path(sys.argv[1]), Path(sys.argv[2]))))
        return 0
    asked = os.environ.get("UNSPOOL_BENCH_GB", "")
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        figures = growth(Path(scratch), int(asked)) if asked else []
    if len(sys.argv) > 1:
        root = Path(sys.argv[1])
        figures += measured(root.name, root)
        figures += beside(root, Path(os.environ.get("UNSPOOL_PEERS", "")))
    print(table(figures))
    kept(RESULTS / "index.json", figures)
    return int(not all(figure.holds for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
