from __future__ import annotations

import base64
from typing import Any

from tests.demo.generator.made import Made, responses


def calls(lines: list[Any]) -> list[Any]:
    blocks = [line["message"]["content"] for line in lines if line["type"] == "assistant"]
    return [block for each in blocks for block in each if block["type"] == "tool_use"]


# format 8
def test_four_calls_of_one_response_are_all_answered(made: Made) -> None:
    found = responses(made.lines("parallel_calls")).values()
    asked = [[message["content"][0] for message in each] for each in found]
    names = [[block.get("name") for block in each] for each in asked]
    four = asked[names.index(["Bash", "Read", "Grep", "Glob"])]

    assert {made.session("parallel_calls")["tools"][block["id"]] for block in four} == {"ok"}


def test_one_line_can_hold_many_blocks(made: Made) -> None:
    found = responses(made.lines("many_blocks")).values()
    kinds = [[block["type"] for block in each[0]["content"]] for each in found]

    assert ["thinking", "text", "tool_use", "tool_use"] in kinds


def test_a_picture_comes_back_as_a_picture(made: Made) -> None:
    lines = [line for line in made.lines("images") if "toolUseResult" in line]
    shown = next(line for line in lines if dict(line["toolUseResult"]).get("type") == "image")
    source = shown["message"]["content"][0]["content"][0]["source"]

    assert base64.b64decode(source["data"]).startswith(b"\x89PNG")


def test_too_much_output_lies_in_a_file_of_its_own(made: Made) -> None:
    files = list((made.folder("persisted_output") / "tool-results").iterdir())
    pointer = made.raw("persisted_output").decode()

    assert [path.stat().st_size for path in files] == [60_000]
    assert "<persisted-output>" in pointer
    assert f"tool-results/{files[0].name}" in pointer


def test_web_searches_are_counted(made: Made) -> None:
    assert made.session("web_search")["total"]["webSearches"] == 2


def test_early_2026_watched_commands_and_hooks_line_by_line(made: Made) -> None:
    lines = [line for line in made.lines("old_progress") if line["type"] == "progress"]
    kinds = {line["data"]["type"] for line in lines}
    named = {line["parentToolUseID"] for line in lines}

    assert {"bash_progress", "hook_progress"} <= kinds
    assert named & {call["id"] for call in calls(made.lines("old_progress"))}
