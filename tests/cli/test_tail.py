import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.lively import lively, register
from tests.cli.runs import SOURCE, here

KEY = "ghp" + "_" + "k3Jd92LmXq8ZtV5bNwYc" + "R7Hs4PfGu1Ae6TQo"


@contextmanager
def following(*args: str | Path) -> Iterator["subprocess.Popen[str]"]:
    """`unspool tail` as a process; it is ended by Ctrl-C."""
    command = [sys.executable, "-m", "unspool", "tail", *map(str, args)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, env=around, stdout=subprocess.PIPE, text=True) as made:
        try:
            yield made
        finally:
            made.send_signal(signal.SIGINT)


def line(made: "subprocess.Popen[str]") -> str:
    assert made.stdout
    return made.stdout.readline().rstrip("\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_tells_what_happens_until_it_is_told_to_stop(tmp_path: Path, number: int) -> None:
    talk = lively().user("Boil the water.")
    talk.save(tmp_path)
    with following("--root", tmp_path) as made:
        first = line(made)
        talk.calls("Bash", command="make tea").save(tmp_path)
        second = line(made)
        made.send_signal(number)
        rest = made.communicate(timeout=60)[0]

    assert first.split(maxsplit=1)[1] == "session-  You          Boil the water."
    assert second.split(maxsplit=1)[1] == "session-  • Bash       make tea"
    assert (rest, made.returncode) == ("", 0)


def test_one_session_needs_no_name_on_each_line(tmp_path: Path) -> None:
    lively("session-one").user("hello").save(tmp_path)
    with following("session-one", "--root", tmp_path) as made:
        assert line(made)[8:] == "  You          hello"


def test_json_is_a_line_for_each_thing(tmp_path: Path) -> None:
    lively().user("hello").says("hi").save(tmp_path)
    with following("--json", "-n", "1", "--root", tmp_path) as made:
        told = json.loads(line(made))

    assert (told["kind"], told["text"]) == ("answer", "hi")
    assert (told["sessionId"], told["projectId"]) == ("session-one", "-home-dev-kettle")


def test_the_end_of_a_session_is_told(tmp_path: Path) -> None:
    lively().user("hello").save(tmp_path)
    entry = register(tmp_path, "session-one")
    with following("--root", tmp_path) as made:
        line(made)
        entry.unlink()

        assert "■ session ended" in line(made)


def test_a_file_that_is_cut_and_written_anew_is_followed_on(tmp_path: Path) -> None:
    path = lively(ago=60).user("one").user("two").save(tmp_path)
    with following("--root", tmp_path, "-n", "1") as made:
        assert line(made).endswith("two")
        path.write_bytes(lively(ago=30).user("three", uuid="other").bytes())
        told = [line(made), line(made)]

    assert "was rewritten" in told[0]
    assert told[1].endswith("three")


def test_secrets_are_not_told_unless_asked_for(tmp_path: Path) -> None:
    lively().user(f"use {KEY} now").save(tmp_path)
    with following("--root", tmp_path) as made:
        assert KEY not in line(made)
    with following("--root", tmp_path, "--unredacted") as made:
        assert KEY in line(made)


def test_a_session_that_is_not_there_is_not_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lively().user("hello").save(tmp_path)

    assert here(capsys, "tail", "nothing-like-it", "--root", tmp_path).code == 3
