"""A report that is asked for again waits for nothing but a look at the files and one question."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.runs import SOURCE
from tests.demo.generator.made import PRICES
from unspool.demo import generate

HEAVY = set(
    "msgspec rich asyncio dataclasses inspect pathlib platformdirs multiprocessing subprocess"
    " tomllib hashlib re2 zstandard unspool.engine.sessions.root_sessions unspool.engine.indexing"
    " unspool.store.sqlite.store unspool.cli.config unspool.model.rows".split()
)

# Runs the command, then tells on its last line what it loaded and which files it opened.
_SCRIPT = """
import sys
opened, listed = [], []
def heard(event, args):
    if event == "open":
        opened.append(str(args[0]))
    elif event == "os.scandir":
        listed.append(str(args[0]))
sys.addaudithook(heard)
from unspool.cli import main
code = main(sys.argv[1:])
import json
print(json.dumps([code, sorted(sys.modules), opened, listed]))
"""


class Run(NamedTuple):
    code: int
    modules: list[str]
    opened: list[str]
    listed: list[str]
    said: str


def run(*args: str) -> Run:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *args],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    )
    *said, last = done.stdout.splitlines()
    return Run(*[*json.loads(last), "\n".join(said)])


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A generated root whose costs were asked for once."""
    path = tmp_path / "root"
    generate(path, mb=2, seed=9, prices=PRICES)
    # Long ago: an unfinished last line must not begin to count between two reports.
    for one in [path / "projects", *(path / "projects").rglob("*")]:
        os.utime(one, (1_700_000_000, 1_700_000_000))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(path))
    run("cost", "--json")
    return path


@pytest.mark.parametrize("kind", ["daily", "monthly", "session", "blocks"])
@pytest.mark.parametrize("face", [["--json"], []])
def test_it_loads_nothing_heavy(root: Path, kind: str, face: list[str]) -> None:
    again = run("cost", kind, *face)

    assert again.code == 0
    assert not HEAVY & set(again.modules)


def test_it_opens_no_transcript(root: Path) -> None:
    again = run("cost", "--json")

    opened = [path for path in again.opened if str(root) in path]
    assert [path for path in opened if not Path(path).is_dir()] == []


def test_after_that_it_lists_no_directory_and_opens_no_database(root: Path) -> None:
    run("cost", "--json")
    third = run("cost", "--json")

    assert third.listed == []
    assert not {"apsw", *HEAVY} & set(third.modules)


def test_it_says_what_the_first_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again, third = (run("cost", "--json").said for _ in range(2))
    monkeypatch.setenv("UNSPOOL_HOME", str(root / "elsewhere"))

    assert again == third == run("cost", "--json").said
