"""Costs and the index beside ccusage and agentsview, in turn and on the same root.

    python -m benchmarks.peers [ROOT]

Without a root two of 1 GB are made, one with many answers and one with few. Peers are looked
for in the directory UNSPOOL_PEERS names; `make bench-peers` puts them there.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import cost, index
from benchmarks.budgets import Figure, kept, table
from benchmarks.running import adopt
from benchmarks.sparse import make_sparse
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
        for root in _roots(Path(scratch)):
            place = Path(scratch, f"homes-{root.name}")
            place.mkdir()
            for some in (cost.measured(root, peers, place), index.beside(root, peers)):
                named = [one._replace(name=f"{root.name}: {one.name}") for one in some]
                print(table(named), flush=True)
                figures += named
    kept(RESULTS / "peers.json", figures)
    return int(not all(figure.holds for figure in figures))


def _roots(place: Path) -> Iterator[Path]:
    if len(sys.argv) > 1:
        yield Path(sys.argv[1])
        return
    generate(place / "dense", mb=_MB, seed=7, prices=json.loads(bundled()))
    yield place / "dense"
    yield make_sparse(place / "sparse", _MB)


if __name__ == "__main__":
    sys.exit(main())
