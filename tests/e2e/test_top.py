"""`unspool top` on a terminal, driven by keys, while sessions run beside it."""

import os
import signal
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.runs import process
from tests.e2e.terminals import Terminal, running, terminal, unspool
from unspool.cli import config
from unspool.demo import Transcript

HEAD = " unspool "


@pytest.fixture
def window() -> Iterator[Terminal]:
    with terminal() as made:
        yield made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    talk("session-one", "/home/dev/kettle").says("It boils.").save(made)
    talk("session-two", "/home/dev/lantern").says("It glows.").save(made)
    return made


def talk(session: str, cwd: str, prompt: str = "") -> Transcript:
    """A session of some minutes ago."""
    start = (config.local_now() - timedelta(minutes=10)).isoformat()
    made = Transcript(session, cwd, start=start)
    return made.user(prompt or f"Please look after the {cwd.rpartition('/')[2]}.")


def begin(window: Terminal, root: Path, *args: str) -> None:
    window.press(unspool("top", "--root", root, *args), "Enter")
    window.sees(HEAD, "kettle", "lantern")


def is_restored(window: Terminal) -> bool:
    return (window.flag("alternate_on"), window.flag("cursor_flag")) == ("0", "1")


def test_a_live_session_is_seen_to_work_wait_work_and_end(window: Terminal, tmp_path: Path) -> None:
    made = tmp_path / "made"
    process("gen", made, "--mb", "0.1")
    with running("gen", made, "--live", "--seconds", "12"):
        window.press(unspool("top", "--root", made), "Enter")
        window.sees(HEAD, "Working", "●  live")
        window.sees("Waiting for your approval", "▲  live", "Bash make")
        window.sees("Working", "●  live")
        window.sees("Ended", "■  live")
    window.press("q")
    window.is_back()

    assert is_restored(window)


def test_without_sessions_it_says_so_until_there_is_one(
    window: Terminal, home: Path, tmp_path: Path
) -> None:
    window.press(unspool("top", "--root", tmp_path), "Enter")
    window.sees(HEAD, "There are no sessions in ")
    talk("session-one", "/home/dev/kettle").says("It boils.").save(tmp_path)

    window.sees(HEAD, "kettle")
    assert "There are no sessions" not in window.shows()


def test_a_filter_shows_what_fits_and_escape_all_again(window: Terminal, root: Path) -> None:
    begin(window, root)
    window.press("/", "l", "a", "n", "t", "Enter")
    window.loses("kettle")
    window.press("Escape")

    assert "lantern" in window.sees("kettle", "lantern")


def test_the_order_changes_by_a_key(window: Terminal, root: Path) -> None:
    begin(window, root)
    window.sees("sort: status", "Idle")
    window.press("s")

    assert "Idle" not in window.sees("sort: activity")


def test_a_session_is_opened_and_left_again(window: Terminal, root: Path) -> None:
    begin(window, root)
    window.press("/", "k", "e", "t", "Enter", "Enter")
    window.sees("Please look after the kettle.", "It boils.", "q back")
    window.press("q")

    assert "q back" not in window.sees(HEAD, "sort: status")


def test_the_selection_moves_with_keys(window: Terminal, root: Path) -> None:
    begin(window, root)
    first = window.shows("-e").splitlines()
    window.press("j")
    window.until(lambda _: window.shows("-e").splitlines() != first, "another row in inverse")
    window.press("Enter")

    window.sees("q back", "Please look after")


def test_a_window_of_another_size_is_filled_anew(window: Terminal, root: Path) -> None:
    begin(window, root)
    window.sees("TODAY")
    window.resize(60, 12)
    window.until(lambda shown: "TODAY" not in shown and HEAD in shown, "a small board")

    window.until(lambda shown: "? help" in "".join(shown.splitlines()[11:12]), "a foot")
    window.resize(140, 40)
    assert "? help" in window.sees("TOKENS").splitlines()[39]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_leaves_the_terminal_as_it_was(
    window: Terminal, root: Path, number: signal.Signals
) -> None:
    begin(window, root)
    os.kill(window.child(), number)
    window.is_back()
    window.press("echo typed", "Enter")
    window.until(lambda shown: shown.count("typed") == 2, "what was typed, and its echo")

    assert is_restored(window)


def test_it_can_be_stopped_and_goes_on(window: Terminal, root: Path) -> None:
    begin(window, root)
    window.press("C-z")
    window.is_back()
    assert is_restored(window)
    window.press("fg", "Enter")
    window.sees(HEAD, "kettle", "? help")
    window.press("q")

    window.is_back()


def test_a_fault_leaves_the_terminal_as_it_was(window: Terminal, tmp_path: Path) -> None:
    (tmp_path / "fault").mkdir()
    (tmp_path / "fault" / "sitecustomize.py").write_text(
        "import unspool.engine.board.board as b\n"
        "def broken(self, now):\n    raise RuntimeError('broken on purpose')\n"
        "b.LiveBoard.board = broken\n"
    )
    command = unspool("top", "--root", tmp_path).replace(
        "PYTHONPATH=", f"PYTHONPATH={tmp_path}/fault:"
    )
    window.press(command, "Enter")
    window.sees("broken on purpose")
    window.is_back()

    assert is_restored(window)


def test_text_of_a_session_cannot_move_the_cursor(window: Terminal, root: Path) -> None:
    hostile = "\x1b[2J\x1b[1;1HGONE\x07\r\n\u202e漢字 \U0001f9d1\u200d\U0001f680 kettle"
    talk("session-bad", "/home/dev/bad", hostile).says("\x1b]0;title\x07ok").save(root)
    begin(window, root, "--filter", "home-dev")
    shown = window.sees("bad")

    assert shown.splitlines()[0].startswith(HEAD)
    assert window.flag("pane_title") != "title"


def test_a_terminal_without_our_letters_shows_others(window: Terminal, root: Path) -> None:
    window.press(f"PYTHONIOENCODING=ascii {unspool('top', '--root', root)}", "Enter")

    assert window.sees(HEAD, "kettle", "? help").isascii()
