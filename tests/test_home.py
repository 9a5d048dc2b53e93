"""No command looks into a home it was not sent to: every file it opens is written down."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from unspool.demo import Transcript

SOURCE = Path(__file__).parent.parent / "src"
DEFAULT_ROOT = re.compile(r"/(\.claude|\.config/claude)(/|$)")

# Python runs a module of this name at start, in every process of the command.
WITNESS = """
import os, sys

log = os.open(os.environ["WITNESS_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

def note(event, args):
    if event in ("open", "os.scandir", "os.listdir") and isinstance(args[0], (str, bytes)):
        os.write(log, os.path.abspath(os.fsencode(args[0])) + b"\\n")

sys.addaudithook(note)
"""


class Watched:
    """Runs unspool in an environment of exactly these variables and tells what it opened."""

    def __init__(self, tmp_path: Path, **variables: Path) -> None:
        self.scratch, self.log = tmp_path, tmp_path / "opened"
        witness = tmp_path / "witness"
        witness.mkdir()
        (witness / "sitecustomize.py").write_text(WITNESS)
        path = os.pathsep.join((str(witness), str(SOURCE)))
        self.env: Mapping[str, str] = {
            "PYTHONPATH": path,
            "WITNESS_LOG": str(self.log),
            **{name: str(value) for name, value in variables.items()},
        }

    def run(self, *args: str) -> str:
        command = [sys.executable, "-m", "unspool", *args]
        done = subprocess.run(
            command, cwd=self.scratch, env=self.env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def names(self) -> set[str]:
        """The last parts of all that it opened."""
        return {path.name for path in self._opened()}

    def claude_paths(self) -> set[Path]:
        """What it opened in any default root: of this home, of the account, of anybody."""
        return {path for path in self._opened() if DEFAULT_ROOT.search(path.as_posix())}

    def _opened(self) -> set[Path]:
        return {Path(line) for line in self.log.read_text(errors="replace").splitlines()}


def test_every_test_lives_in_an_empty_home_of_its_own(home: Path) -> None:
    assert Path.home() == home
    assert list(home.iterdir()) == []


READS = (["ls"], ["show", "latest"], ["show", "latest", "--json"])
GEN = ["gen", "made", "--mb", "0.2", "--seed", "1"]


@pytest.mark.parametrize("command", [*READS, GEN], ids=" ".join)
def test_a_root_that_is_named_is_the_only_one_opened(tmp_path: Path, command: list[str]) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    Transcript(session="poison").user("poison").save(home / ".claude")
    Transcript(session="wanted").user("read this").save(root)
    watched = Watched(tmp_path, HOME=home, CLAUDE_CONFIG_DIR=root, UNSPOOL_HOME=tmp_path / "own")

    said = watched.run(*command)

    assert watched.claude_paths() == set()
    assert "poison" not in said


@pytest.mark.parametrize("command", READS, ids=" ".join)
def test_with_nothing_set_the_root_is_below_home(tmp_path: Path, command: list[str]) -> None:
    """Also the proof that the witness sees: it must have seen the way to the transcript opened.

    Below `projects` files are opened one name after the other, from there.
    """
    root = tmp_path / "home" / ".claude"
    transcript = Transcript(session="wanted").user("read this").save(root)
    watched = Watched(tmp_path, HOME=root.parent)

    watched.run(*command)

    assert transcript.parent.parent in watched.claude_paths()
    assert transcript.name in watched.names()
    assert all(path.is_relative_to(root) for path in watched.claude_paths())
