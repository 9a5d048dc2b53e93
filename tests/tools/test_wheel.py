"""The wheel in a clean environment: dependencies first, then nothing from any network."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import NamedTuple
from zipfile import ZipFile

import pytest

import unspool
from tests.conftest import REPOSITORY
from tests.tools.first_board import first_board

SMOKE = Path(__file__).with_name("wheel_smoke.py")
pytestmark = pytest.mark.slow


# What would bring in code or packages that are not in the wheels.
OURS = ("PYTHONPATH", "PYTHONHOME", "PIP_FIND_LINKS")


def output(*command: str | Path, without: tuple[str, ...] = ()) -> str:
    """Run a program outside of the repository; what it prints."""
    env = {name: value for name, value in os.environ.items() if name not in without}
    words = [str(word) for word in command]
    done = subprocess.run(words, env=env, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Installed(NamedTuple):
    wheel: Path
    venv: Path

    def run(self, name: str, *args: str | Path, before: tuple[str, ...] = ()) -> str:
        """Run a program of the environment."""
        return output(*before, self.venv / "bin" / name, *args, without=OURS)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("wheel")
    wheels, venv = place / "wheels", place / "venv"
    pip = ("-m", "pip", "--quiet", "--disable-pip-version-check")
    constraints = ("--constraint", REPOSITORY / "constraints.txt")
    # This downloads what building and running need; from here on pip may ask nobody.
    output(sys.executable, *pip, "wheel", *constraints, "-w", wheels, REPOSITORY)
    output(sys.executable, "-m", "venv", venv)
    alone = ("--no-index", "--find-links", wheels)
    output(venv / "bin" / "python", *pip, "install", *alone, "unspool", without=OURS)
    (wheel,) = wheels.glob("unspool-*.whl")
    return Installed(wheel, venv)


def test_it_has_everything_of_the_source(installed: Installed) -> None:
    source = REPOSITORY / "src"
    wanted = {
        path.relative_to(source).as_posix()
        for path in (source / "unspool").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with ZipFile(installed.wheel) as wheel:
        names = set(wheel.namelist())

    assert "unspool/py.typed" in wanted
    assert wanted <= names


def test_it_says_its_version_as_a_command_and_as_a_module(installed: Installed) -> None:
    said = f"unspool {unspool.__version__}\n"

    assert installed.run("unspool", "--version") == said
    assert installed.run("python", "-m", "unspool", "--version") == said


def test_it_brings_the_man_page_and_completions(installed: Installed) -> None:
    page = installed.venv / "share" / "man" / "man1" / "unspool.1"

    assert page.read_text() == (REPOSITORY / "docs" / "unspool.1").read_text()
    for shell in ("bash", "zsh", "fish"):
        assert "unspool" in installed.run("unspool", "completion", shell)


def check_board(shown: str) -> None:
    answer = json.loads(shown)
    assert answer["status"] == 200
    assert "<title>" in answer["page"]
    assert "These sessions are made up" in answer["page"]


def test_it_serves_the_demo(installed: Installed) -> None:
    check_board(installed.run("python", SMOKE, installed.venv / "bin" / "unspool"))


def test_on_an_empty_machine_its_board_is_in_a_browser(
    installed: Installed, home: Path, record_property: Callable[[str, object], None]
) -> None:
    env = {name: value for name, value in os.environ.items() if name not in OURS}
    command = [str(installed.venv / "bin" / "unspool"), "--no-browser", "--port", "0"]
    begun = monotonic()
    with subprocess.Popen(command, env=env, cwd="/", stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            address = next(line for line in server.stdout if "/enter#t=" in line).strip()
            board = first_board(address)
        finally:
            server.terminate()

    record_property("seconds from unspool to the board", board.at - begun)
    print(f"from unspool to the board: {board.at - begun:.1f} s")
    assert board.complaints == []
    assert board.address == address.partition("enter#")[0]
    assert (board.rows > 3, board.health["demo"]) == (True, True)
    assert "These sessions are made up" in board.note


def test_it_serves_the_demo_without_a_network(installed: Installed) -> None:
    unshare = shutil.which("unshare") or pytest.skip("unshare is not installed")
    before = (unshare, "-rn")
    if subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine makes no network namespaces for us")
    program = installed.venv / "bin" / "unspool"

    check_board(installed.run("python", SMOKE, program, "--offline", before=before))
    assert installed.run("unspool", "--version", before=before).startswith("unspool ")
