"""Measure everything, print it, keep it, and fail where a budget does not hold."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import (
    board,
    channel,
    first_paint,
    growth,
    hook,
    hostile,
    hub,
    hub_board,
    idle,
    index,
    live,
    making,
    newcomer,
    opening,
    pages,
    reading,
    redact,
    scale,
    search,
    serving,
    sql,
    starting,
    statusline,
)
from benchmarks.budgets import Figure, kept, table
from benchmarks.programs import chromium, program, wrk

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Run in a home of its own; 1 when something that must hold does not."""
    chromium(), wrk(), program("git"), program("make")  # before an hour is spent without them
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        place = Path(scratch)
        for name in ("HOME", "CLAUDE_CONFIG_DIR", "UNSPOOL_HOME"):
            os.environ[name] = str(place / name.lower())
        figures = [figure for found in _measured(place) for figure in _shown(found)]
    kept(RESULTS / "latest.json", figures)
    return int(not all(figure.holds for figure in figures))


def _measured(place: Path) -> Iterator[list[Figure]]:
    made, figures = making.measured(place)
    yield figures
    yield starting.measured()
    yield newcomer.measured(_new(place / "newcomer"))
    yield opening.measured(made.session)
    yield reading.measured(made)
    yield hook.measured(_new(place / "hook"))
    yield statusline.measured(made.root, _new(place / "statusline"))
    yield index.measured("100 MB", made.root)
    yield live.measured(place / "live")
    yield pages.measured(_new(place / "pages"))
    yield first_paint.measured(_new(place / "first_paint"))
    yield board.measured(_new(place / "board"))
    yield hub_board.measured(_new(place / "hub_board"))
    yield hub.measured(_new(place / "hub"))
    yield serving.measured(_new(place / "serving"))
    yield channel.measured(_new(place / "channel"))
    yield search.measured()
    yield sql.measured(_new(place / "sql"))
    yield idle.measured()
    yield redact.measured()
    yield hostile.measured(place / "hostile")
    yield scale.measured(_new(place / "scale"))
    yield growth.measured(_new(place / "growth"))


def _new(path: Path) -> Path:
    path.mkdir()
    return path


def _shown(figures: list[Figure]) -> list[Figure]:
    print(table(figures), flush=True)
    return figures


if __name__ == "__main__":
    sys.exit(main())
