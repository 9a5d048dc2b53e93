"""No command looks into a home it was not sent to, and nobody else looks into ours.

Every file that is opened and every directory that is made is written down.
"""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from unspool.demo import Transcript

SOURCE = Path(__file__).parent.parent / "src"
DEFAULT_ROOT = re.compile(r"/(\.claude|\.config/claude)(/|$)")

# Python runs a module of this name at start, in every process of the command.
WITNESS = """
import os, sys

flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
log = os.open(os.environ["WITNESS_LOG"], flags, 0o600)
made = os.open(os.environ["WITNESS_LOG"] + ".made", flags, 0o600)

def note(event, args):
    if event == "os.mkdir":
        os.write(made, b"%o %s\\n" % (args[1], os.path.abspath(os.fsencode(args[0]))))
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

    def run(self, *args: str, umask: int = -1) -> str:
        command = [sys.executable, "-m", "unspool", *args]
        done = subprocess.run(
            command,
            cwd=self.scratch,
            env=self.env,
            umask=umask,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def serving(self, umask: int) -> Iterator[httpx.Client]:
        """A client of `unspool serve`."""
        command = [
            sys.executable,
            "-m",
            "unspool",
            "serve",
            "--no-browser",
            "--port",
            "0",
            "--json",
        ]
        with subprocess.Popen(
            command, cwd=self.scratch, env=self.env, umask=umask, stdout=subprocess.PIPE
        ) as server:
            assert server.stdout
            runtime = json.loads(server.stdout.readline())
            headers = {"authorization": f"Bearer {runtime['token']}"}
            with httpx.Client(base_url=runtime["url"], headers=headers, timeout=60) as client:
                yield client
            server.terminate()

    def made(self, below: Path) -> dict[Path, str]:
        """The directories that were made there, each with its mode."""
        lines = self.log.with_name("opened.made").read_text().splitlines()
        pairs = ((mode, Path(path)) for mode, _, path in (line.partition(" ") for line in lines))
        return {path: mode for mode, path in pairs if path.is_relative_to(below)}

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


def test_nothing_in_the_home_is_ever_for_others(tmp_path: Path) -> None:
    """Under a umask that forbids nothing; each directory from its birth."""
    own, root, other = tmp_path / "data" / "own" / "unspool", tmp_path / "root", tmp_path / "other"
    for place, session in ((root, "wanted"), (other, "another")):
        Transcript(session=session).user("read this").calls("Bash", command="ls").save(place)
    watched = Watched(tmp_path, HOME=tmp_path, CLAUDE_CONFIG_DIR=root, UNSPOOL_HOME=own)
    event = json.dumps({"hook_event_name": "Stop", "session_id": "wanted"})

    for command in ("cost", "cost --root other", "ls --root other", "index build", "search read",
                    "hooks install", "export wanted -o story.html"):  # fmt: skip
        watched.run(*command.split(), umask=0)
    settings = json.loads((root / "settings.json").read_text())
    hook = settings["hooks"]["Stop"][0]["hooks"][0]["command"]
    subprocess.run(shlex.split(hook), input=event, text=True, check=True, umask=0)
    with watched.serving(umask=0) as client:
        assert client.patch("/api/sessions/wanted", json={"pinned": True}).is_success
        assert client.post("/api/events", content=event).is_success
    for command in ("index daemon start", "index daemon stop", "index rebuild"):
        watched.run(*command.split(), umask=0)

    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in (own, *own.rglob("*"))}
    kinds = {path: 0o700 if path.is_dir() else 0o600 for path in modes}
    assert modes == kinds
    assert set(watched.made(tmp_path / "data").values()) == {"700"}
    assert {"roots", "spool", "own"} <= {path.name for path in watched.made(tmp_path / "data")}
    assert {path.name for path in modes} >= {"index.db", "raw.db", "state.db", "daemon.log"}
    assert stat.S_IMODE((tmp_path / "story.html").stat().st_mode) == 0o600


def test_a_directory_that_an_earlier_version_left_open_is_closed(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    Transcript(session="another").user("read this").save(other)
    (own / "roots").mkdir(parents=True, mode=0o755)
    watched = Watched(tmp_path, HOME=tmp_path, UNSPOOL_HOME=own)
    watched.run("index", "build", "--root", "other")

    assert stat.S_IMODE((own / "roots").stat().st_mode) == 0o700
