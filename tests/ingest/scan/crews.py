"""A crew at work in a process of its own, where forking disturbs nobody."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[3]

_SCRIPT = """
import json, sys, time
from pathlib import Path
from tests.ingest.roots import root_of
from tests.ingest.scan.scans import TABLE
from unspool.ingest.scan import keep, worker
from unspool.ingest.scan.crew import Crew, shares
from unspool.source.files import TRANSCRIPT_KINDS, scan_files

root, count, home, fault = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
roots = [root_of(Path(root))]

def work(paths, link, turn):
    if fault == "dies" and not turn.is_first:
        raise SystemExit
    tally = worker.tallied(paths, roots, TABLE)
    places = worker.serve(tally, link, turn)
    if places:
        if fault == "gives up" and turn.is_first:
            raise SystemExit
        keep.keep(tally, "the table", places, turn)

crew = Crew(shares([file.state for file in scan_files(roots[0], TRANSCRIPT_KINDS)], count), work)
totals = crew.totals()
if home:
    crew.keep(home)
crew.close()
print(json.dumps(totals))
"""


def totals(root: Path, count: int, home: str = "", fault: str = "none") -> list[list[Any]]:
    """What so many processes make of a root; what they keep may come later."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(root), str(count), home, fault],
        env={**os.environ, "PYTHONPATH": f"{REPOSITORY / 'src'}:{REPOSITORY}"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ChildProcessError(done.stderr.splitlines()[-1])
    found: list[list[Any]] = json.loads(done.stdout)
    return found
