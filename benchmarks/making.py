"""What there is to read: one session of 100 MB, and a root of 100 MB; and how fast it is made."""

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from benchmarks.budgets import Figure
from benchmarks.memory import peak_mb
from unspool.demo import generate
from unspool.demo.generator.build import SCENARIOS
from unspool.demo.generator.eras import ERAS
from unspool.demo.generator.root import RootBuilder
from unspool.demo.generator.session import SessionBuilder, SessionPlan
from unspool.source.prices import bundled

MB = 100
_PART = 20
_ERA = ERAS["2.1.270"]
_SIZE = 8_000  # of a tool's result: about 3 KB a line, as in transcripts people published


class WorkerResult(NamedTuple):
    """Where it lies."""

    session: Path
    root: Path


def measured(place: Path) -> tuple[WorkerResult, list[Figure]]:
    """Make both; the root in a process of its own, whose memory is measured."""
    session = _session(place / "session")
    root = place / "root"
    command = [sys.executable, "-m", "benchmarks.making", str(root)]
    done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - ourselves
    found = json.loads(done.stdout)
    figures = [
        Figure("generate a root", found["speed"], "MB/s", aim=30, more_is_better=True),
        Figure("generate a root: memory", found["memory"], "MB", must=150),
    ]
    return WorkerResult(session, root), figures


def long_session(path: Path, mb: int) -> None:
    """One session of any size: the same work again and again, each time under other ids."""
    path.parent.mkdir(parents=True)
    with TemporaryDirectory(dir=path.parent.parent.parent) as scratch, path.open("wb") as file:
        data = _session(Path(scratch), _PART).read_bytes()
        for number in range(mb // _PART):
            mark = b"%02x" % number
            data = re.sub(rb'(?i)(uuid":")..', rb"\g<1>" + mark, data)
            file.write(re.sub(rb"((?:msg|req|toolu)_).", rb"\g<1>" + mark, data))


def _session(directory: Path, mb: int = MB) -> Path:
    stage = RootBuilder(directory, 1, json.loads(bundled()))
    play = SessionBuilder(stage, SessionPlan("/home/dev/large", _ERA, _ERA.first, _SIZE))
    scenes = [scene for scene in SCENARIOS if scene.weight and _ERA.name in scene.eras]
    weights = [scene.weight for scene in scenes]
    while play.main.writer.size < mb * 1_000_000:
        play.turn(4)
        if stage.rng.random() < 0.35:
            stage.rng.choices(scenes, weights)[0].act(play)
    play.close()
    stage.close()
    return play.main.writer.path


if __name__ == "__main__":
    start = perf_counter()
    truth = generate(Path(sys.argv[1]), mb=MB, seed=7, prices=json.loads(bundled()))
    speed = truth.counts["bytes"] / 1e6 / (perf_counter() - start)
    print(json.dumps({"speed": speed, "memory": peak_mb()}))
