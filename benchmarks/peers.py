"""Costs and the index beside ccusage and agentsview, in turn and on the same root.

    python -m benchmarks.peers [ROOT]

Without a root one of 1 GB is made. Peers are looked for in the directory UNSPOOL_PEERS names;
`make bench-peers` puts them there.
"""

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import cost, index
from benchmarks.budgets import Figure, kept, table
from benchmarks.running import adopt
from unspool.demo import generate
from unspool.source.prices import bundled

RESULTS = Path(__file__).parent / "results"
_MB = 1_000


def main() -> int:
    """Measure, print and keep; 1 when something that must hold does not."""
    adopt()
    figures: list[Figure] = []
    peers = Path(os.environ.get("UNSPOOL_PEERS", ""))
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        place = Path(scratch)
        root = Path(sys.argv[1]) if len(sys.argv) > 1 else _made(place / "root")
        for found in (cost.measured(root, peers, place), index.beside(root, peers)):
            print(table(found), flush=True)
            figures += found
    kept(RESULTS / "peers.json", figures)
    return int(not all(figure.holds for figure in figures))


def _made(path: Path) -> Path:
    generate(path, mb=_MB, seed=7, prices=json.loads(bundled()))
    return path


if __name__ == "__main__":
    sys.exit(main())
