from __future__ import annotations

import base64
import zlib
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.demo.generator.made import readable
from unspool.demo.generator.tools import HookLogWriter, Toolbox, ToolCallData, picture
from unspool.demo.generator.words import Ids, TextSource


def toolbox() -> Toolbox:
    rng = Random(1)
    return Toolbox(rng, Ids(rng), TextSource(rng), "/repo")


def test_all_tools_are_drawn_in_time() -> None:
    tools = toolbox()

    assert len({tools.call(size=40).name for _ in range(600)}) == 10


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("Bash", {"stdout", "stderr", "interrupted"}),
        ("Read", {"type", "file"}),
        ("Edit", {"filePath", "oldString", "newString", "structuredPatch", "originalFile"}),
        ("Write", {"type", "filePath", "content", "structuredPatch"}),
        ("Grep", {"numFiles", "filenames"}),
        ("Glob", {"numFiles", "filenames", "durationMs", "truncated"}),
        ("TodoWrite", {"oldTodos", "newTodos"}),
        ("WebFetch", {"bytes", "code", "result", "url", "durationMs"}),
        ("NotebookEdit", {"new_source", "notebook_path", "edit_mode", "cell_type"}),
    ],
)
def test_a_result_has_the_shape_of_its_tool(name: str, keys: set[str]) -> None:
    assert keys <= toolbox().call(name).result.keys()


# format 9
def test_a_server_tool_answers_in_blocks() -> None:
    call = toolbox().call("mcp__atlas__lookup")

    assert call.result == call.content == [{"type": "text", "text": call.content[0]["text"]}]


def test_an_answer_grows_with_the_size_asked_for() -> None:
    small, large = toolbox().call("Bash", 100), toolbox().call("Bash", 100_000)

    assert len(small.content) <= 100
    assert len(large.content) > 10_000


def test_files_lie_in_the_working_directory() -> None:
    assert toolbox().call("Edit").input["file_path"].startswith("/repo/src/")


def test_a_picture_is_a_png_of_its_size() -> None:
    data = base64.b64decode(picture(Random(1), 5))
    rows = data[data.index(b"IDAT") + 4 : data.index(b"IEND") - 8]

    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(zlib.decompress(rows)) == 5 * (1 + 5 * 3)


NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 5, 1, 12, 0, 3, tzinfo=UTC)


def logged(directory: Path) -> tuple[list[Any], int]:
    path = directory / "hooks" / "s.hooks.jsonl"
    log = HookLogWriter(path, "s", "/repo", "2.0.76")
    log.mark(NOON, "SessionStart", source="startup")
    log.prompt(NOON, "hi")
    log.tool(NOON, LATER, ToolCallData("toolu_1", "Bash", {"command": "ls"}, "", None))
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
