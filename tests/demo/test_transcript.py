from __future__ import annotations

from typing import Any

import pytest

from unspool.demo import Transcript, text_block, thinking_block, tool_block


def messages(made: Transcript) -> list[Any]:
    return [line["message"] for line in made.dicts()]


def test_each_assistant_verb_is_its_own_response() -> None:
    made = messages(Transcript().says("a").thinks("b").calls("Bash", command="ls"))

    assert [message["id"] for message in made] == ["msg_1", "msg_2", "msg_3"]
    assert [message["stop_reason"] for message in made] == ["end_turn", "end_turn", "tool_use"]


def test_keywords_of_a_call_are_its_input() -> None:
    block = messages(Transcript().calls("Bash", command="ls"))[0]["content"][0]

    assert block == {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "Bash",
        "input": {"command": "ls"},
    }


def test_keywords_beside_an_input_are_fields_of_the_line() -> None:
    line = Transcript().calls("Bash", {"command": "ls"}, model="m", slug="x").dicts()[0]

    assert (line["slug"], line["message"]["model"]) == ("x", "m")


# format 1
def test_an_answer_in_blocks_shares_one_message_and_its_outputs_grow() -> None:
    blocks = [thinking_block("t"), text_block("a"), tool_block("Bash", {})]
    made = messages(Transcript().answers(blocks, outputs=[1, 1, 260]))

    assert {message["id"] for message in made} == {"msg_1"}
    assert [message["usage"]["output_tokens"] for message in made] == [1, 1, 260]
    assert [message["stop_reason"] for message in made] == [None, None, "tool_use"]


def test_outputs_beyond_the_blocks_repeat_the_last_block() -> None:
    made = messages(Transcript().answers(["a"], outputs=[1, 9]))

    assert [message["content"] for message in made] == [[text_block("a")]] * 2


def test_stops_are_given_line_by_line() -> None:
    made = messages(Transcript().answers(["a", "b"], stops=[None, None]))

    assert [message["stop_reason"] for message in made] == [None, None]


# format 2
def test_one_line_of_an_answer_can_lack_its_request() -> None:
    each = [{"requestId": Transcript.ABSENT}, {}]
    first, second = Transcript().answers(["a", "b"], each=each).dicts()

    assert "requestId" not in first
    assert second["requestId"] == "req_1"


@pytest.mark.parametrize(
    ("given", "kept"), [({}, {}), ({"output_tokens": 7}, {"output_tokens": 7})]
)
def test_a_usage_is_kept_as_given(given: dict[str, int], kept: dict[str, int]) -> None:
    assert messages(Transcript().says("a", usage=given))[0]["usage"] == kept


def test_a_usage_can_be_left_out() -> None:
    assert "usage" not in messages(Transcript().says("a", usage=False))[0]


def test_a_result_answers_the_last_unanswered_call() -> None:
    made = Transcript().calls("Bash").calls("Read").returns("r").returns("b")

    assert [m["content"][0]["tool_use_id"] for m in messages(made)[2:]] == ["toolu_2", "toolu_1"]


def test_a_result_hangs_off_the_line_of_its_call() -> None:
    made = Transcript().answers([tool_block("Bash", {}), tool_block("Read", {})]).returns(call=1)

    assert made.dicts()[2]["parentUuid"] == "u1"
    assert made.dicts()[2]["sourceToolAssistantUUID"] == "u1"


def test_a_result_without_a_call_can_be_written() -> None:
    block = messages(Transcript().user("a").returns("x", call="toolu_lost"))[1]["content"][0]

    assert block["tool_use_id"] == "toolu_lost"


def test_a_failed_result_says_so_and_an_ordinary_one_says_nothing() -> None:
    made = Transcript().calls("Bash").returns("x", failed=True, result="Error: x").returns("y")
    failed, ordinary = made.dicts()[1:]

    assert failed["message"]["content"][0]["is_error"] is True
    assert failed["toolUseResult"] == "Error: x"
    assert "is_error" not in ordinary["message"]["content"][0]
    assert "toolUseResult" not in ordinary


# format 7
def test_a_compaction_is_a_boundary_without_a_parent_and_its_summary() -> None:
    _, boundary, summary = Transcript().user("a").compacts(pre=90, post=40).dicts()

    assert (boundary["parentUuid"], boundary["logicalParentUuid"]) == (None, "u1")
    assert boundary["compactMetadata"]["cumulativeDroppedTokens"] == 50
    assert (summary["parentUuid"], summary["isCompactSummary"]) == (boundary["uuid"], True)


# format 6
def test_a_synthetic_line_is_free_and_an_error_only_when_named() -> None:
    filler, error = Transcript().synthetic("x").synthetic("y", error="rate_limit").dicts()

    assert sum(filler["message"]["usage"].values()) == 0
    assert (filler["isApiErrorMessage"], "error" in filler) == (False, False)
    assert (error["isApiErrorMessage"], error["error"]) == (True, "rate_limit")
    assert "requestId" not in error


def test_an_interruption_names_the_tool_use_when_there_is_one() -> None:
    plain, tool = messages(Transcript().interrupted().interrupted(for_tool=True))

    assert plain["content"][0]["text"] == "[Request interrupted by user]"
    assert tool["content"][0]["text"] == "[Request interrupted by user for tool use]"


def test_a_reminder_is_injected_text() -> None:
    line = Transcript().reminder("be brief").dicts()[0]

    assert line["isMeta"] is True
    assert line["message"]["content"] == "<system-reminder>\nbe brief\n</system-reminder>"


def test_progress_belongs_to_the_last_unanswered_call() -> None:
    line = Transcript().calls("Bash").progress("bash_progress", output="x").dicts()[1]

    assert line["data"] == {"type": "bash_progress", "output": "x"}
    assert line["parentToolUseID"] == "toolu_1"


def test_an_attachment_keeps_its_fields_inside() -> None:
    line = Transcript().attachment("queued_command", prompt="x").dicts()[0]

    assert line["attachment"] == {"type": "queued_command", "prompt": "x"}


def test_a_system_line_has_its_subtype() -> None:
    assert Transcript().system("turn_duration", durationMs=5).dicts()[0]["durationMs"] == 5
