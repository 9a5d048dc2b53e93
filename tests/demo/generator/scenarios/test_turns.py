from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.demo.generator.made import Made, readable, responses, texts


def test_a_slash_command_and_its_output_are_user_lines(made: Made) -> None:
    said = texts(made.lines("slash_command"))

    assert "<command-name>/cost" in said
    assert "<local-command-stdout>" in said
    assert "<local-command-caveat>" in said


def test_a_newer_command_prints_into_a_system_line(made: Made) -> None:
    lines = [line for line in made.lines("local_command") if line.get("subtype") == "local_command"]

    assert "<local-command-stdout>" in lines[0]["content"]


def test_a_shell_command_is_typed_at_the_prompt(made: Made) -> None:
    said = texts(made.lines("bash_mode"))

    assert "<bash-input>" in said
    assert "<bash-stdout>" in said


def test_a_queued_prompt_comes_before_the_result(made: Made) -> None:
    lines = made.lines("queued_prompt")
    queued = next(at for at, line in enumerate(lines) if line.get("promptSource") == "queued")
    result = lines[queued + 1]["message"]["content"][0]

    assert result["type"] == "tool_result"
    assert made.session("queued_prompt")["tools"][result["tool_use_id"]] == "ok"


def test_a_queued_prompt_is_answered(made: Made) -> None:
    lines = made.lines("queued_prompt")
    queued = next(at for at, line in enumerate(lines) if line.get("promptSource") == "queued")

    assert lines[queued + 2]["message"]["content"][0]["type"] == "text"


def test_a_reminder_is_hidden_in_a_user_line(made: Made) -> None:
    assert "<system-reminder>" in texts(made.lines("reminders"))


def test_a_compaction_is_a_boundary_and_a_summary(made: Made) -> None:
    lines = made.lines("compaction")
    at = next(n for n, line in enumerate(lines) if line.get("subtype") == "compact_boundary")

    assert lines[at]["logicalParentUuid"] in {line.get("uuid") for line in lines[:at]}
    assert lines[at + 1]["isCompactSummary"]
    assert made.session("compaction")["compactions"] == 1


def test_a_small_compaction_names_the_results_it_dropped(made: Made) -> None:
    lines = made.lines("microcompaction")
    boundary = next(line for line in lines if line.get("subtype") == "microcompact_boundary")

    assert (
        set(boundary["microcompactMetadata"]["compactedToolIds"])
        <= made.session("microcompaction")["tools"].keys()
    )


def test_a_rewind_gives_one_line_two_children(made: Made) -> None:
    lines = [line for line in made.lines("rewind") if line["type"] == "assistant"]
    parents = [line["parentUuid"] for line in lines]

    assert len(parents) - len(set(parents)) == 1


def test_a_plan_is_carried_out_in_a_session_of_the_same_nickname(made: Made) -> None:
    plan, built = made.lines("plan_pair"), made.related("plan_pair", "planOf")
    first = readable(made.file(built).read_bytes())[0]

    assert first["message"]["content"].startswith("Implement the following plan:\n\n# ")
    assert first["slug"] == plan[0]["slug"]
    assert (made.path / "plans" / f"{first['slug']}.md").is_file()


def test_notes_of_many_kinds_stand_beside_the_talk(made: Made) -> None:
    kinds = {line["type"] for line in made.lines("notes")}

    assert {"custom-title", "agent-name", "tag", "pr-link", "bridge-session"} <= kinds
    assert "queued_command" in json.dumps(made.lines("notes"))


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


def test_a_broken_off_answer_has_no_ending(made: Made) -> None:
    assert "[Request interrupted by user]" in texts(made.lines("interruption"))
    assert made.session("interruption")["total"]["lowerBound"] == 1


@pytest.mark.parametrize(
    ("trap", "state"),
    [
        ("interrupted_tool", "interrupted"),
        ("rejected_tool", "rejected"),
        ("failed_tool", "error"),
        ("lost_result", "no_result"),
    ],
)
def test_a_call_ends_as_its_scene_says(made: Made, trap: str, state: str) -> None:
    assert state in made.states(trap)


@pytest.mark.parametrize("trap", ["interrupted_tool", "rejected_tool"])
def test_a_stopped_call_is_followed_by_the_users_word(made: Made, trap: str) -> None:
    assert "[Request interrupted by user for tool use]" in texts(made.lines(trap))


def test_a_rejection_is_told_in_words(made: Made) -> None:
    results = [line.get("toolUseResult") for line in made.lines("rejected_tool")]

    assert "User rejected tool use" in results


def test_a_result_is_written_twice_and_one_has_no_call(made: Made) -> None:
    content = [
        line["message"]["content"]
        for line in made.lines("repeated_result")
        if line["type"] == "user"
    ]
    results = [each[0]["tool_use_id"] for each in content if isinstance(each, list)]

    assert len(results) - len(set(results)) == 1
    assert len(set(results) - made.session("repeated_result")["tools"].keys()) == 1


# format 6
def test_an_api_error_is_retried_and_then_written_by_the_client(made: Made) -> None:
    lines = made.lines("api_error")
    retries = [line["retryAttempt"] for line in lines if line.get("subtype") == "api_error"]
    errors = [line for line in lines if line.get("isApiErrorMessage")]

    assert retries == [1, 2]
    assert errors[0]["message"]["model"] == "<synthetic>"


def test_a_filler_line_is_no_error(made: Made) -> None:
    lines = [line for line in made.lines("synthetic_filler") if line["type"] == "assistant"]
    filler = next(line for line in lines if line["message"]["model"] == "<synthetic>")

    assert filler["isApiErrorMessage"] is False
