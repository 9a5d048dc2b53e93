import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.source.firing import PAYLOAD, PYTHON, SCRIPT, payloads
from unspool.source.settings import (
    EVENTS,
    WANTED,
    entry,
    events_of,
    groups_of,
    hook_command,
    is_ours,
    others,
    ours_of,
)

COMMAND = hook_command("/usr/bin/python3", "/home/u/unspool/unspool-hook.py", "/home/u/spool")
OURS = entry("Stop", COMMAND)
THEIRS = {"type": "command", "command": "say done"}


def run(command: str, **how: Any) -> tuple[int, str]:
    """Run a command as Claude Code does, in a shell; its exit code and what it said."""
    done = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, check=False, **{"input": PAYLOAD, **how}
    )
    return done.returncode, (done.stdout + done.stderr).decode()


def test_every_event_is_wanted_but_the_one_that_would_break() -> None:
    assert len(EVENTS) == 33
    assert set(EVENTS) - set(WANTED) == {"WorktreeCreate"}


@pytest.mark.parametrize("event", WANTED)
def test_nobody_waits_for_a_hook_unless_the_session_ends(event: str) -> None:
    made = entry(event, COMMAND)

    assert made["type"] == "command"
    assert made.get("async", False) == (event != "SessionEnd")
    assert made["timeout"] == (1 if event == "SessionEnd" else 60)


def test_a_place_with_a_strange_name_is_quoted(tmp_path: Path) -> None:
    odd = tmp_path / "a b'c$(touch gone)\";`id`"
    command = hook_command(PYTHON, SCRIPT, str(odd))

    assert run(command, cwd=tmp_path) == (0, "")
    assert payloads(odd) == [PAYLOAD]
    assert [path.name for path in tmp_path.iterdir()] == [odd.name]


@pytest.mark.parametrize(
    "command",
    [
        hook_command("/no/such/python", SCRIPT, "/tmp/none"),
        hook_command(PYTHON, "/no/such/unspool-hook.py", "/tmp/none"),
        hook_command("/", SCRIPT, "/tmp/none"),
    ],
)
def test_what_is_no_longer_there_vetoes_nothing(command: str) -> None:
    assert run(command) == (0, "")


def test_a_python_that_cannot_even_start_vetoes_nothing(tmp_path: Path) -> None:
    command = hook_command(PYTHON, SCRIPT, str(tmp_path))

    assert run(f"{{ {command}; }} < /", input=None) == (0, "")


def test_without_a_shell_the_command_works_too(tmp_path: Path) -> None:
    words = shlex.split(hook_command(PYTHON, SCRIPT, str(tmp_path)))
    subprocess.run(words, input=PAYLOAD, check=True)

    assert payloads(tmp_path) == [PAYLOAD]


@pytest.mark.parametrize(
    "command",
    [
        COMMAND,
        hook_command("/other/py thon", "/other home/unspool-hook.py", "/x"),
        "/usr/bin/python3 -I -S /home/u/unspool-hook.py /home/u/spool",
        r"'C:\Python\python.exe' -I -S 'C:\u\unspool-hook.py' 'C:\u\spool'",
    ],
)
def test_ours_are_known_by_the_script_they_run(command: str) -> None:
    assert is_ours({"type": "command", "command": command})


@pytest.mark.parametrize(
    "found",
    [
        None,
        [],
        THEIRS,
        {"command": None},
        {"command": "cat /home/u/unspool-hook.py"},
        {"command": f"{COMMAND}; say done"},
        {"command": f"tee log | {COMMAND}"},
        {"command": "python -I -S my-unspool-hook.py spool"},
        {"command": "'unspool-hook.py"},
    ],
)
def test_what_does_anything_else_is_not_ours(found: Any) -> None:
    assert not is_ours(found)


def test_a_group_of_theirs_and_ours_keeps_theirs() -> None:
    tree = {"hooks": {"Stop": [{"matcher": "x", "hooks": [OURS, THEIRS]}]}}

    assert others(tree) == {"hooks": {"Stop": [{"matcher": "x", "hooks": [THEIRS]}]}}
    assert ours_of(tree["hooks"]["Stop"][0]) == [OURS]


def test_what_was_empty_and_what_we_leave_empty_are_the_same() -> None:
    ours = {"hooks": {"Stop": [{"hooks": [OURS]}]}, "model": "opus"}

    assert others(ours) == others({"model": "opus", "hooks": {"Stop": []}}) == {"model": "opus"}


@pytest.mark.parametrize("hooks", [None, [], "x", {"Stop": None}, {"Stop": {"hooks": [OURS]}}])
def test_hooks_of_a_strange_shape_are_theirs(hooks: Any) -> None:
    assert others({"hooks": hooks}) == {"hooks": hooks}
    assert groups_of({"hooks": hooks}, "Stop") == []


def test_strange_groups_are_theirs() -> None:
    groups: list[Any] = [None, 1, {}, {"hooks": None}, {"hooks": []}, {"hooks": [None]}]

    assert others({"hooks": {"Stop": groups}}) == {"hooks": {"Stop": groups}}
    assert events_of({"hooks": {"Stop": groups}}) == {"Stop": groups}
