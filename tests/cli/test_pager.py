"""`unspool show` on a terminal, with a pager: real ones, and one that notes what it gets."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.keyboard import Keyboard
from tests.cli.runs import SOURCE, here, terminal
from unspool.cli.pager import write
from unspool.demo import Transcript

PROMPT = ":\x1b[K"  # of less
NOTES = """\
import os, sys
text = sys.stdin.read()
open(sys.argv[1], "w").write(text + repr(sys.argv[2:]) + os.environ["LESS"])
print("PAGED")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A session much longer than a screen."""
    talk = Transcript(session="long")
    for number in range(200):
        talk.user(f"question {number}").says(f"answer {number}")
    talk.save(tmp_path / "root")
    return tmp_path / "root"


@pytest.fixture
def pager(tmp_path: Path) -> str:
    script = tmp_path / "the pager.py"
    script.write_text(NOTES)
    return f"{sys.executable} '{script}' {tmp_path / 'noted'} --flag"


def reading(root: Path, *args: str, **env: str) -> Keyboard:
    """`unspool show` on a terminal of 20 rows."""
    mine = {"PYTHONPATH": str(SOURCE), "TERM": "xterm", "CLAUDE_CONFIG_DIR": str(root)}
    around = {name: value for name, value in os.environ.items() if name not in ("PAGER", "LESS")}
    command = [sys.executable, "-m", "unspool", "show", "long", *args]
    return Keyboard(command, {**around, **mine, **env}, rows=20)


def less() -> None:
    shutil.which("less") or pytest.skip("less is not installed")


@pytest.mark.parametrize("option", [(), ("--turns",), ("--lines",)])
def test_the_pager_gets_the_whole_text_in_colour(
    option: tuple[str, ...], root: Path, pager: str, tmp_path: Path
) -> None:
    shown = terminal("show", "long", *option, "--root", root, columns=200, PAGER=pager)
    noted = (tmp_path / "noted").read_text()

    assert shown == "PAGED\n"
    assert "question 199" in noted
    assert "\x1b[" in noted
    assert noted.endswith("['--flag']FRX")


def test_the_pager_gets_the_lines_in_their_order(
    pager: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = os.openpty()
    monkeypatch.setenv("PAGER", pager)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    with open(theirs, "w") as screen:
        monkeypatch.setattr(sys, "stdout", screen)
        write([(("", word),) for word in ("one", "two", "three")], has_pager=True)
        monkeypatch.undo()
    os.close(ours)

    assert (tmp_path / "noted").read_text().splitlines()[:3] == ["one", "two", "three"]


def test_the_pager_gets_no_colour_where_none_is_wanted(
    root: Path, pager: str, tmp_path: Path
) -> None:
    terminal("show", "long", "--root", root, PAGER=pager, NO_COLOR="1")

    assert "\x1b" not in (tmp_path / "noted").read_text()


def test_the_lines_of_a_paged_text_fit_the_terminal(root: Path, pager: str, tmp_path: Path) -> None:
    Transcript(session="wide").user("word " * 100).save(root)
    terminal("show", "wide", "--root", root, columns=40, PAGER=pager, NO_COLOR="1")
    lines = (tmp_path / "noted").read_text().splitlines()

    assert max(len(line) for line in lines if "word" in line) <= 40


def test_options_of_less_stay_the_users_own(root: Path, pager: str, tmp_path: Path) -> None:
    terminal("show", "long", "--root", root, PAGER=pager, LESS="-i")

    assert (tmp_path / "noted").read_text().endswith("['--flag']-i")


@pytest.mark.parametrize(
    ("option", "around"),
    [
        (("--no-pager",), {}),
        (("--json",), {}),
        ((), {"PAGER": ""}),
        ((), {"PAGER": "cat"}),
        ((), {"PAGER": "/no/such/pager"}),
        ((), {"PAGER": "'"}),
        ((), {"TERM": "dumb"}),
    ],
)
def test_without_a_pager_the_text_is_printed(
    option: tuple[str, ...], around: dict[str, str], root: Path, pager: str
) -> None:
    shown = terminal(
        "show", "long", *option, "--root", root, columns=80, **{"PAGER": pager, **around}
    )

    assert "question 199" in shown
    assert "PAGED" not in shown


def test_a_pipe_gets_no_pager(
    root: Path, pager: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAGER", pager)

    assert "question 199" in here(capsys, "show", "long", "--root", root).out


def test_an_error_comes_without_a_pager(tmp_path: Path, pager: str) -> None:
    (tmp_path / "odd.jsonl").write_text("{]\n")
    shown = terminal("show", tmp_path / "odd.jsonl", PAGER=pager)

    assert "is not a transcript" in shown
    assert "PAGED" not in shown


def test_less_is_the_pager_of_whoever_names_none_and_can_be_left_at_once(root: Path) -> None:
    less()
    reader = reading(root)

    assert reader.reads("question 0")
    assert reader.reads(PROMPT)
    assert b"question 199" not in reader.shown
    reader.types("q")
    assert reader.ends() == 0
    assert b"Traceback" not in reader.shown
    assert b"unspool:" not in reader.shown


def test_ctrl_c_leaves_the_reader_in_less(root: Path) -> None:
    less()
    reader = reading(root)

    assert reader.reads("question 0")
    assert reader.reads(PROMPT)
    reader.types("\x03")
    assert reader.reads("question 199", again="G")
    reader.types("q")
    assert reader.ends() == 0
    assert b"Traceback" not in reader.shown


def test_ctrl_c_ends_a_pager_that_it_ends_without_a_word(root: Path) -> None:
    reader = reading(root, PAGER=f"{sys.executable} -c 'import time; print(1); time.sleep(60)'")

    assert reader.reads("1")
    reader.types("\x03")
    assert reader.ends() == 0
    assert b"unspool" not in reader.shown


def test_a_short_text_stays_on_the_screen_without_a_key(root: Path) -> None:
    less()
    Transcript(session="short").user("hello there").save(root)
    reader = reading(root, "--limit", "1")

    assert reader.reads("question 0")
    assert reader.ends() == 0
