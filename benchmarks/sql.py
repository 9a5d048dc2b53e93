"""500 MB -> how long questions in SQL and a pattern that matches nothing take, start to end.

`python -m benchmarks.sql HOME ROOT` asks an index and a root of your own.
"""

import json
import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from benchmarks.budgets import Figure, table
from benchmarks.running import Run, run
from unspool.demo import generate
from unspool.source.prices import bundled
from unspool.store.sqlite.sql import PUBLIC
from unspool.store.sqlite.store import SqliteStore

_MB = 500
_RUNS = 3
_MUST = 1.0
_DOCS = Path(__file__).parents[1] / "docs" / "sql.md"
_ABSENT = "zzzyyyxxx"
_LARGEST = "SELECT session_id FROM sessions ORDER BY lines DESC LIMIT 1"


def measured(place: Path) -> list[Figure]:
    """Ask an index that is made for it."""
    root, home = place / "root", place / "home"
    generate(root, mb=_MB, seed=2, prices=json.loads(bundled()))
    home.mkdir()
    command = [sys.executable, "-m", "benchmarks.index", str(root), str(home)]
    subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - ourselves
    return figures(home, root)


def figures(home: Path, root: Path) -> list[Figure]:
    """Each question once, the slowest of a kind counts, at its best of some runs."""
    with closing(SqliteStore(home, mode="ro")) as store:
        session = store.sql(_LARGEST)[1][0][0]
    documented = re.findall(r"```sql\n(.*?)```", _DOCS.read_text("utf-8"), re.DOTALL)
    kinds = {
        "--tables": ["--tables"],
        "events LIMIT 5": ["SELECT * FROM events LIMIT 5"],
        "any table LIMIT 5": [f"SELECT * FROM {name} LIMIT 5" for name in PUBLIC],  # noqa: S608
        "events of the largest session": [f"SELECT * FROM events WHERE session_id = '{session}'"],  # noqa: S608
        "docs/sql.md": documented,
    }
    sql = [
        _figure(f"sql, {kind}", [["sql", text] for text in asked], home, root)
        for kind, asked in kinds.items()
    ]
    return [*sql, _figure("search, no match", [["search", "--regex", _ABSENT]], home, root)]


def _figure(name: str, commands: list[list[str]], home: Path, root: Path) -> Figure:
    env = {**os.environ, "UNSPOOL_HOME": str(home), "CLAUDE_CONFIG_DIR": str(root)}
    start = [sys.executable, "-m", "unspool"]
    best = {args[-1]: _best([*start, *args], env) for args in commands}
    slowest = max(best, key=lambda text: best[text].cpu)
    note = f"{best[slowest].wall:.2f} s on the wall; {' '.join(slowest.split())[:60]}"
    return Figure(f"{_MB} MB: {name}, CPU", best[slowest].cpu, "s", _MUST, note=note)


def _best(command: list[str], env: dict[str, str]) -> Run:
    return min((run(command, env) for _ in range(_RUNS)), key=lambda one: one.cpu)


if __name__ == "__main__":
    print(table(figures(Path(sys.argv[1]), Path(sys.argv[2]))))
