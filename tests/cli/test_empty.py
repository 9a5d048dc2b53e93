"""A machine without sessions: commands say so and where they looked, and end well."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

from tests.cli.made import root, sweep, talk
from tests.cli.runs import SOURCE, Said, here, process, terminal
from unspool.cli import empty
from unspool.cli.config import open_stores

Capsys = pytest.CaptureFixture[str]
NOTE = "There are no sessions in ~/.claude/projects. `unspool --demo` shows made-up ones."


@pytest.mark.parametrize(
    "command",
    ["ls", "ls --since 7d", "cost", "cost blocks", "cost monthly --since 7d", "search word"],
)
@pytest.mark.parametrize("made", ["", ".claude", ".claude/projects/-empty"])
def test_a_command_says_that_there_are_none_and_nothing_else(
    home: Path, capsys: Capsys, command: str, made: str
) -> None:
    (home / made).mkdir(parents=True, exist_ok=True)

    assert here(capsys, *command.split()) == Said(0, "", f"unspool: {NOTE}\n")


@pytest.mark.parametrize(
    "command",
    ["show latest", "show 3f2a9b1c", "export latest", "cost explain 3f2a9b1c", "tail 3f2a9b1c",
     "search word --session latest", "search word --session 3f2a9b1c", "index verify",
     "forget 3f2a9b1c --yes", "forget 3f2a9b1c --dry-run", "forget --project kettle --yes",
     "forget --restore 3f2a9b1c"],
)  # fmt: skip
def test_so_does_one_that_names_a_session_and_does_not_find_it(
    capsys: Capsys, command: str
) -> None:
    assert here(capsys, *command.split()) == Said(3, "", f"unspool: {NOTE}\n")


@pytest.mark.parametrize(
    "command",
    ["sql --tables", "sql SELECT(1)", "index", "index build", "index rebuild", "index daemon",
     "doctor", "doctor schema", "forget --list", "forget --secret --yes",
     "forget --secret --dry-run"],
)  # fmt: skip
def test_those_that_have_something_to_print_say_so_beside_it(capsys: Capsys, command: str) -> None:
    said = here(capsys, *command.split())

    assert (said.code, said.err) == (0, f"unspool: {NOTE}\n")
    assert said.out


@pytest.mark.parametrize(
    "command",
    ["ls", "show latest", "export latest", "cost", "cost blocks", "cost explain latest", "tail",
     "search word", "sql --tables", "top --once", "index", "index build", "index watch",
     "index verify", "index rebuild", "index daemon start", "index daemon", "doctor",
     "doctor schema", "forget 3f2a9b1c --yes", "forget --project kettle --yes", "forget --list",
     "forget --secret --yes", "forget --restore 3f2a9b1c", "serve"],
)  # fmt: skip
def test_a_named_directory_that_is_missing_is_not_found_everywhere(
    tmp_path: Path, capsys: Capsys, command: str
) -> None:
    place = tmp_path / "none"
    sentence = f"No directory at {place}. Name a Claude Code directory, such as ~/.claude."

    assert here(capsys, *command.split(), "--root", place) == Said(3, "", f"unspool: {sentence}\n")


def test_a_path_that_is_missing_is_named(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "show", tmp_path / "x.jsonl")

    assert said == Said(3, "", f"unspool: No file at {str(tmp_path / 'x.jsonl')!r}.\n")


@pytest.mark.parametrize("command", ["ls --json", "cost --json", "search word --json"])
def test_programs_get_their_empty_answer_all_the_same(capsys: Capsys, command: str) -> None:
    said = here(capsys, *command.split())

    assert (said.code, said.err) == (0, f"unspool: {NOTE}\n")
    assert isinstance(json.loads(said.out), dict)


def test_the_board_says_so_printed_and_for_programs(capsys: Capsys) -> None:
    assert here(capsys, "top", "--once").err == f"unspool: {NOTE}\n"
    assert here(capsys, "top", "--json").err == f"unspool: {NOTE}\n"


@pytest.mark.parametrize("words", ["tail", "index watch"])
def test_those_that_follow_say_so_and_go_on_to_wait(words: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "unspool", *words.split()]
    env = {"HOME": str(tmp_path), "UNSPOOL_HOME": str(tmp_path / "u"), "PYTHONPATH": str(SOURCE)}
    out, err = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(command, env=env, stdout=out, stderr=err, text=True) as waiting:
        late = Timer(60, waiting.kill)
        late.start()
        assert waiting.stderr
        assert waiting.stderr.readline() == f"unspool: {NOTE}\n"
        assert waiting.poll() is None
        waiting.send_signal(signal.SIGTERM)
        late.cancel()


def test_a_terminal_is_told_too() -> None:
    assert NOTE.split("`", maxsplit=1)[0] in terminal("ls", columns=200)


def test_with_a_session_nothing_is_said(home: Path, capsys: Capsys) -> None:
    root(home / ".claude")

    assert here(capsys, "ls").err == ""
    assert here(capsys, "search", "nowhere") == Said(0, "Nothing found.\n", "")


def test_an_archive_without_files_is_not_empty(home: Path) -> None:
    root(home / ".claude")
    process("index", "build")
    sweep(home / ".claude", "session-one")

    assert not empty.has_sessions(open_stores().roots)
    assert not empty.is_empty(())


def test_an_index_that_cannot_be_read_is_not_empty(home: Path) -> None:
    root(home / ".claude")
    process("index", "build")
    sweep(home / ".claude", "session-one")
    (home / "unspool" / "index.db").write_bytes(b"damage" * 1_000)

    assert not empty.is_empty(())


def test_a_root_of_another_is_empty_whatever_the_index_has(home: Path, tmp_path: Path) -> None:
    root(home / ".claude")
    process("index", "build")

    assert empty.is_empty([str(tmp_path)])


def test_a_file_is_a_session_once_something_is_in_it(home: Path) -> None:
    path = talk().path_in(home / ".claude")
    path.parent.mkdir(parents=True)
    path.touch()
    (path.parent / "agent-one.jsonl").write_bytes(b"{}\n")
    assert not empty.has_sessions(open_stores().roots)

    path.write_bytes(b"{}\n")
    assert empty.has_sessions(open_stores().roots)


def test_several_places_are_named_each(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{home}/a,{tmp_path}/b,{home}c")
    named = f"~/a/projects, {tmp_path}/b/projects and {home}c/projects"

    assert empty.note(()) == NOTE.replace("~/.claude/projects", named)
