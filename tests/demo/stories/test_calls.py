"""What the calls of a story say agrees: results with what was asked, edits with what was read."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from fnmatch import fnmatch

import pytest

from tests.demo.stories.test_words import STORIES
from tests.demo.stories.told import Told
from unspool.demo.script.steps import HERE, Calls, ScriptedCall, Steps, Story

each_story = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
PROGRAMS = set(
    "alembic cat cd createdb curl docker dropdb file for gh git grep head journalctl jq ls npm npx "
    "pip psql pytest python ruff sed ssh time waybill wc".split()
)


def calls(steps: Steps, tool: str = "") -> Iterator[ScriptedCall]:
    """The calls of a story and of its agents, in order."""
    for step in steps:
        alone = [step] if isinstance(step, ScriptedCall) else []
        for call in step.calls if isinstance(step, Calls) else alone:
            if tool in ("", call.tool):
                yield call
            if call.agent is not None:
                yield from calls(call.agent.steps, tool)


@each_story
def test_each_line_that_a_search_found_has_its_place_and_the_pattern(story: Story) -> None:
    for call in calls(story.steps, "Grep"):
        pattern, below = call.input["pattern"], call.input.get("path", HERE)
        for row in call.result["content"].splitlines():
            path, line, text = row.split(":", 2)

            assert line.isdecimal(), row
            assert f"{HERE}/{path}".startswith(below), row
            assert re.search(pattern, text), (pattern, row)


@each_story
def test_each_file_that_was_listed_fits_the_pattern(story: Story) -> None:
    for call in calls(story.steps, "Glob"):
        pattern = f"{HERE}/{call.input['pattern']}".replace("**/", "*")

        assert [one for one in call.result["filenames"] if not fnmatch(one, pattern)] == []


@each_story
def test_an_edit_changes_what_is_in_a_file_that_was_seen_whole(story: Story) -> None:
    files: dict[str, str] = {}
    for call in calls(story.steps):
        path = call.input.get("file_path", "")
        if call.failed:
            continue
        if call.tool == "Write":
            files[path] = _flat(call.input["content"])
        elif call.tool == "Read" and "limit" not in call.input:
            files[path] = _flat(call.result["file"]["content"])
        elif call.tool == "Edit":
            old, new = _flat(call.input["old_string"]), _flat(call.input["new_string"])
            assert old != new
            if path in files:
                assert old in files[path], (path, old)
                files[path] = files[path].replace(old, new, 1)


def _flat(text: str) -> str:
    """Without the depth of its lines: a story writes an edit as deep as it stands there."""
    return "\n".join(line.strip() for line in text.strip("\n").split("\n"))


@each_story
def test_a_file_has_a_path_in_the_project(story: Story) -> None:
    paths = [call.input["file_path"] for call in calls(story.steps) if "file_path" in call.input]

    assert [one for one in paths if not re.fullmatch(rf"{re.escape(HERE)}/[\w./-]+", one)] == []


@each_story
def test_a_command_begins_with_a_program(story: Story) -> None:
    for call in calls(story.steps, "Bash"):
        command = re.sub(r"^\w+=\S+ ", "", call.input["command"])
        first = re.split(r"[\s;&|]", command, maxsplit=1)[0]

        assert first in PROGRAMS, call.input["command"]


def test_a_call_took_as_long_as_its_hook_says(told: Told) -> None:
    found = 0
    for path in told.root.glob("hooks/*/*.hooks.jsonl"):
        events = [json.loads(line) for line in path.read_bytes().splitlines()]
        began: dict[str, datetime] = {}
        asked = datetime.min.replace(tzinfo=UTC)  # when somebody was last asked for permission
        for event in events:
            at, given = datetime.fromisoformat(event["timestamp"]), event["input"]
            if event["eventType"] == "PermissionRequest":
                asked = at
            elif event["eventType"] == "PreToolUse":
                began[given["tool_use_id"]] = at
            elif "duration_ms" in given and given["tool_name"] != "Agent":
                begin = began[given["tool_use_id"]]
                took = (at - begin).total_seconds() * 1_000
                found += 1
                if asked < begin:
                    assert abs(took - given["duration_ms"]) < 300, given
                else:
                    assert given["duration_ms"] < took + 300, given
    assert found > 100
