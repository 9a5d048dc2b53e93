"""Things that lie where a transcript should, and files that may not be read for a while."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.conftest import REPOSITORY
from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, root_of, saved
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer, SweepReport
from unspool.model.files import Root
from unspool.store.memory import MemoryStore

ODD: dict[str, Callable[[Path], object]] = {
    "a named pipe": os.mkfifo,
    "a directory": Path.mkdir,
    "a symbolic link": lambda path: path.symlink_to("/etc/passwd"),
}


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return saved(tmp_path, Transcript().user("hello"))


def swept(root: Root, store: MemoryStore | None = None) -> SweepReport:
    return Indexer(store or MemoryStore(), [root], TABLE).sweep(NOW)


@pytest.mark.parametrize("what", ODD)
def test_what_only_looks_like_a_transcript_is_named_once_and_left_alone(
    root: Root, what: str
) -> None:
    odd = Path(root.projects, "-repo", "s2.jsonl")
    ODD[what](odd)
    report = swept(root)

    assert [(one.path, one.reason) for one in report.skipped] == [(str(odd), what)]
    assert (report.files, report.lines, report.trouble) == (1, 1, ())


def test_a_transcript_that_gave_way_to_a_pipe_stops_nobody(root: Root) -> None:
    store, path = MemoryStore(), Path(root.projects, "-repo", "s1.jsonl")
    indexer = Indexer(store, [root], TABLE)
    indexer.sweep(NOW)
    path.unlink()
    os.mkfifo(path)
    report = indexer.sweep(NOW)

    assert (report.gone, len(report.skipped), store.sources()[0].lines) == (1, 1, 1)


_AS_NOBODY = """
import os, sys
from pathlib import Path
from tests.chaos.test_faults import look
os.setgid(65534); os.setuid(65534)
look(Path(sys.argv[1]), sys.argv[2])
"""


def look(path: Path, steps: str) -> None:
    """Sweep a root with and without leave to read it, and print what is said and known."""
    store = MemoryStore()
    indexer = Indexer(store, [root_of(path)], TABLE)
    for step in steps.split(","):
        target, mode = step.rsplit(":", 1)
        os.chmod(path / target, int(mode, 8))
        report = indexer.sweep(NOW)
        gone = sum(source.gone_at is not None for source in store.sources())
        print(len(report.skipped) + len(report.trouble), len(store.sources()), gone, sep="/")


def as_nobody(path: Path, *steps: str) -> list[str]:
    """The same in a process that is not root, for root may read everything."""
    for each in (path, *path.rglob("*")):
        os.chown(each, 65534, 65534)
    command = [sys.executable, "-c", _AS_NOBODY, str(path), ",".join(steps)]
    paths = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.fixture
def others() -> Iterator[Path]:
    """A root that somebody who is nobody can reach."""
    if os.geteuid() != 0:
        pytest.skip("only root may become somebody else")
    with TemporaryDirectory() as place:
        os.chown(place, 65534, 65534)
        saved(Path(place, "root"), Transcript().user("hello"), Transcript("s2").user("there"))
        yield Path(place, "root")


def test_a_file_closed_to_us_is_said_once_and_read_when_it_is_open(others: Path) -> None:
    file = "projects/-repo/s2.jsonl"

    assert as_nobody(others, f"{file}:000", f"{file}:600") == ["1/1/0", "0/2/0"]


def test_a_directory_closed_to_us_does_not_make_its_files_gone(others: Path) -> None:
    place = "projects/-repo"

    assert as_nobody(others, f"{place}:700", f"{place}:000", f"{place}:700") == [
        "0/2/0",
        "1/2/0",
        "0/2/0",
    ]
