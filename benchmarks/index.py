"""A root -> its index, in a new process: how long, how much memory, how large.

`python -m benchmarks.index ROOT` does it for a root of your own.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.budgets import Figure, table
from benchmarks.memory import peak_mb
from unspool.decode.prices import price_table
from unspool.ingest.backfill import build
from unspool.ingest.workers import usual_count
from unspool.source.prices import bundled
from unspool.source.roots import find_roots
from unspool.store.sqlite.store import SqliteStore

_NOW = 1_790_000_000_000


def measured(name: str, root: Path) -> list[Figure]:
    """Index it once into a new home, and once again with nothing new."""
    with TemporaryDirectory(prefix="unspool-index-") as home:
        first, again = (_run(root, Path(home)) for _ in range(2))
    speed, cpu = first["mb"] / first["wall"], first["cpu"]
    spent = f"{first['wall']:.1f} s, {cpu:.1f} s of CPU, {usual_count()} workers"
    share = {kind: 100 * first[kind] / first["mb"] for kind in ("index", "raw")}
    return [
        Figure(f"{name}: index", speed, "MB/s", None, 50, more_is_better=True, note=spent),
        Figure(f"{name}: index, a second of CPU", first["mb"] / cpu, "MB", 15, 25, True),
        Figure(f"{name}: memory of the writer", first["memory"], "MB", 250),
        Figure(f"{name}: memory of a worker", first["worker"], "MB", 250),
        Figure(f"{name}: index, share of the source", share["index"], "%", 15),
        Figure(f"{name}: archive, share of the source", share["raw"], "%", 25),
        Figure(f"{name}: again, nothing new", again["wall"] * 1000, "ms"),
    ]


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


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(json.dumps(_index(Path(sys.argv[1]), Path(sys.argv[2]))))
    else:
        print(table(measured(Path(sys.argv[1]).name, Path(sys.argv[1]))))
