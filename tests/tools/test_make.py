"""`make serve` as a newcomer runs it: a clone, an empty home, and nothing installed."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from time import monotonic

import pytest

from tests.conftest import REPOSITORY
from tests.tools.first_board import first_board

# Installing takes a minute, and much longer where many install at once.
_SECONDS = 900
_ADDRESS = re.compile(r"http://u-[0-9a-f]+\.localhost:\d+/enter#t=\S+\n")


def program(name: str) -> str:
    """Where it is, or a skip that says so."""
    return shutil.which(name) or pytest.skip(f"{name} is not installed")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    if not (REPOSITORY / ".git").exists():
        pytest.skip("not run from a clone")
    made = tmp_path / "clone"
    subprocess.run([program("git"), "clone", "--quiet", str(REPOSITORY), str(made)], check=True)
    return made


@pytest.mark.slow
def test_in_a_clone_on_an_empty_machine_it_shows_the_demo_and_installs_no_tools(
    clone: Path, home: Path, record_property: Callable[[str, object], None]
) -> None:
    # What make says to the make above it is not for a newcomer's.
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = [program("make"), "serve", "ARGS=--no-browser --port 0"]
    pipe, begun = subprocess.PIPE, monotonic()
    with subprocess.Popen(
        command, cwd=clone, env=env, stdout=pipe, text=True, start_new_session=True
    ) as making:
        late = Timer(_SECONDS, os.killpg, (making.pid, signal.SIGTERM))
        late.start()
        try:
            assert making.stdout
            first, running, address = (making.stdout.readline() for _ in range(3))
            assert _ADDRESS.fullmatch(address), (first, running, address)
            board = first_board(address.strip())
        finally:
            late.cancel()
            os.killpg(making.pid, signal.SIGTERM)

    assert first == "Installing unspool into .venv (once, about a minute) ...\n"
    record_property("seconds from make serve to the board", board.at - begun)
    print(f"from make serve to the board: {board.at - begun:.1f} s")
    assert board.complaints == []
    assert board.address == address.partition("enter#")[0]
    assert (board.rows > 3, board.health["demo"]) == (True, True)
    assert "These sessions are made up" in board.note
    assert not (home / "unspool" / "runtime.json").exists()
    installed = {path.name for path in clone.glob(".venv/lib/*/site-packages/*")}
    assert "litestar" in installed
    assert not installed & {"mypy", "playwright", "pytest", "ruff"}


def test_what_serves_is_in_the_help() -> None:
    command = [program("make"), "-C", str(REPOSITORY), "help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "make serve" in said.stdout
    assert "make demo" in said.stdout


def on_each_python(pythons: Path, make: str) -> subprocess.CompletedProcess[str]:
    """`make test-pythons` where these are all the Pythons there are; `make` runs the tests."""
    given = [f"MAKE={make}", f"PYENV_ROOT={pythons}"]
    command = [program("make"), "-C", str(REPOSITORY), "test-pythons", *given]
    env = {"PATH": str(pythons / "bin")}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_the_tests_run_on_each_python_and_those_on_which_they_fail_are_named(
    tmp_path: Path,
) -> None:
    assert "There is no Python" in on_each_python(tmp_path, "true").stderr
    for name, code in (
        ("bin/python3.11", 1),  # a shim of nothing
        ("bin/python3.12", 0),
        ("versions/3.13.9/bin/python", 0),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"#!/bin/sh\nexit {code}\n")
        (tmp_path / name).chmod(0o755)
    passed, failed = on_each_python(tmp_path, "true"), on_each_python(tmp_path, "false")

    assert passed.returncode == 0
    assert "Passed on Python 3.12 3.13." in passed.stdout
    assert failed.returncode
    assert "Failed on Python 3.12 3.13." in failed.stderr
