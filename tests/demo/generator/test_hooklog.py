from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.demo.generator.made import readable
from unspool.demo.generator.hooklog import HookLog
from unspool.demo.generator.tools import Call

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 5, 1, 12, 0, 3, tzinfo=UTC)


def logged(directory: Path) -> tuple[list[Any], int]:
    path = directory / "hooks" / "s.hooks.jsonl"
    log = HookLog(path, "s", "/repo", "2.0.76")
    log.mark(NOON, "SessionStart", source="startup")
    log.prompt(NOON, "hi")
    log.tool(NOON, LATER, Call("toolu_1", "Bash", {"command": "ls"}, "", None))
    count = log.close()
    return readable(path.read_bytes()), count


def test_a_tool_is_logged_from_both_ends(tmp_path: Path) -> None:
    before, after = logged(tmp_path)[0][2:]

    assert (before["eventType"], after["eventType"]) == ("PreToolUse", "PostToolUse")
    assert (before["toolUseId"], before["decision"]) == ("toolu_1", "allow")
    assert after["timestamp"] == "2026-05-01T12:00:03.000Z"


def test_an_event_keeps_what_its_hook_was_given(tmp_path: Path) -> None:
    prompt = logged(tmp_path)[0][1]

    assert prompt["input"] == {
        "session_id": "s",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "hi",
    }


def test_events_are_numbered_and_counted(tmp_path: Path) -> None:
    events, count = logged(tmp_path)

    assert [event["lineNumber"] for event in events] == [1, 2, 3, 4]
    assert count == 4
