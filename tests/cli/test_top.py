import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.lively import lively, register
from tests.cli.runs import SOURCE, here, process, terminal
from unspool.cli.config import open_stores
from unspool.cli.top import _has_person

Capsys = pytest.CaptureFixture[str]
KEY = "ghp" + "_" + "k3Jd92LmXq8ZtV5bNwYc" + "R7Hs4PfGu1Ae6TQo"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    lively("session-one", "/home/dev/kettle").user("Boil the water.").save(tmp_path)
    lively("session-two", "/home/dev/lantern").user("Light it.").says("Lit.").save(tmp_path)
    return tmp_path


def test_in_a_pipe_the_board_is_printed_once(root: Path) -> None:
    said = process("top", "--root", root)

    assert said.code == 0
    assert "Working  1" in said.out
    assert "kettle" in said.out
    assert "\x1b" not in said.out


def test_once_prints_every_session_on_a_terminal_too(root: Path) -> None:
    shown = terminal("top", "--once", "--root", root, columns=100)

    assert "kettle" in shown
    assert "lantern" in shown
    assert "\x1b[?1049h" not in shown


@pytest.mark.parametrize(("term", "live"), [("xterm", True), ("dumb", False), ("", False)])
def test_the_board_is_live_on_a_terminal_that_can_move_its_cursor(
    term: str, live: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = os.openpty()
    monkeypatch.setenv("TERM", term)
    with open(theirs, "r+b", buffering=0) as screen:
        monkeypatch.setattr(sys, "stdin", screen)
        monkeypatch.setattr(sys, "stdout", screen)
        found = _has_person()
        monkeypatch.undo()
    os.close(ours)

    assert found is live


def test_no_colour_is_respected(root: Path) -> None:
    assert "\x1b" in terminal("top", "--once", "--root", root)
    assert "\x1b" not in terminal("top", "--once", "--root", root, NO_COLOR="1")


def test_json_is_one_document(root: Path, capsys: Capsys) -> None:
    register(root, "session-one", "waiting")
    board = json.loads(here(capsys, "top", "--json", "--root", root).out)
    states = {row["session"]["id"]: row["session"]["status"] for row in board["rows"]}

    assert states["session-one"]["state"] == "waiting_for_approval"
    assert states["session-one"]["evidence"] == "registry"
    assert board["today"]["tokens"] == 15


def test_json_can_be_followed(root: Path) -> None:
    command = [sys.executable, "-m", "unspool", "top", "--json", "--follow", "--root", str(root)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, env=around, stdout=subprocess.PIPE) as following:
        assert following.stdout
        first = json.loads(following.stdout.readline())
        register(root, "session-one", "waiting")
        later = json.loads(following.stdout.readline())
        following.send_signal(signal.SIGINT)

    assert following.returncode == 0
    assert not any("approval" in row["session"]["status"]["state"] for row in first["rows"])
    assert any("approval" in row["session"]["status"]["state"] for row in later["rows"])


def test_to_follow_without_json_makes_no_sense(root: Path, capsys: Capsys) -> None:
    assert here(capsys, "top", "--follow", "--root", root).code == 2


def test_the_board_can_be_filtered_and_sorted(root: Path, capsys: Capsys) -> None:
    said = here(capsys, "top", "--root", root, "--filter", "lantern", "--sort", "cost")

    assert "lantern" in said.out
    assert "kettle" not in said.out
    assert "Working" not in said.out


def test_secrets_are_not_shown_unless_asked_for(tmp_path: Path, capsys: Capsys) -> None:
    lively().user(f"use {KEY} now").save(tmp_path)

    for options in ([], ["--json"]):
        assert KEY[:12] not in here(capsys, "top", "--root", tmp_path, *options).out
        assert KEY[:12] in here(capsys, "top", "--root", tmp_path, "--unredacted", *options).out


def test_two_hundred_live_sessions_are_shown(tmp_path: Path, capsys: Capsys) -> None:
    for n in range(200):
        lively(f"session-{n}", f"/home/dev/p{n:03}").user("hello").save(tmp_path)

    assert "Working  200" in here(capsys, "top", "--root", tmp_path).out


def test_it_does_not_wait_for_whoever_writes_the_index(root: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root)
    store = open_stores().writing()
    said = process("top", "--root", root)
    store.close()

    assert said.code == 0
    assert "kettle" in said.out
