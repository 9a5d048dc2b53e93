"""What a call points at, and what its result says beyond its text."""

from typing import Any

import pytest
from msgspec import Raw

from tests.derive.reads import heard, last_of
from unspool.demo import Transcript
from unspool.derive.reading.estimate import IMAGE_TOKENS, tokens
from unspool.derive.reading.results import call, result
from unspool.derive.story.tools import result_state
from unspool.model.blocks import NULL
from unspool.model.message import AgentReport, Piece

IMAGE = {"type": "image", "source": {"type": "base64", "data": "a" * 9999}}
REJECTED = "The user doesn't want to proceed with this tool use."
STOPPED = "[Request interrupted by user for tool use]"


def called(name: str, given: Any = None, **fields: Any) -> Piece:
    return last_of(Transcript().calls(name, {} if given is None else given, **fields)).pieces[0]


def answered(content: Any = "", **fields: Any) -> Piece:
    made = Transcript().calls("Bash", command="ls").returns(content, **fields)
    return last_of(made).pieces[0]


def reported(told: Any, content: Any = "") -> AgentReport | None:
    return answered(content, result=told).report


def test_a_call_weighs_its_name_and_its_input() -> None:
    assert called("Bash", {"command": "ls"}).tokens == tokens('Bash{"command":"ls"}')


# devtools 7
def test_a_call_without_an_input_weighs_as_if_given_an_empty_one() -> None:
    assert call(0, "t1", "Bash", NULL) == Piece(0, "call", tokens("Bash{}"), "t1", "Bash")


@pytest.mark.parametrize(
    ("tool", "given", "path"),
    [
        ("Read", {"file_path": "/a"}, "/a"),
        ("NotebookEdit", {"notebook_path": "/n"}, "/n"),
        ("Edit", {}, ""),
        ("Bash", {"file_path": "/a"}, ""),
        ("Write", {"file_path": "/" * 9999}, "/" * 4096),
    ],
)
def test_a_call_that_works_on_a_file_names_it(tool: str, given: Any, path: str) -> None:
    assert called(tool, given).path == path


# devtools 9
@pytest.mark.parametrize("tool", ["Task", "Agent"])
def test_an_agent_is_spawned_under_either_name(tool: str) -> None:
    given = {"description": "look", "subagent_type": "Explore", "run_in_background": True}
    spawn = called(tool, given).spawn

    assert spawn is not None
    assert (spawn.description, spawn.subagent_type, spawn.background) == ("look", "Explore", True)


def test_the_prompt_of_an_agent_is_known_by_its_digest() -> None:
    spawns = [called("Agent", {"prompt": text}).spawn for text in ("dig", " dig\n", "fly")]
    digests = [spawn.prompt_digest for spawn in spawns if spawn]

    assert digests[0] == digests[1] != digests[2]


def test_a_field_of_the_wrong_type_costs_no_other() -> None:
    spawn = called("Agent", {"description": 7, "name": "ann", "run_in_background": "yes"}).spawn

    assert spawn is not None
    assert (spawn.description, spawn.name, spawn.background) == ("", "ann", False)


@pytest.mark.parametrize("given", ["text", [1], 7])
def test_an_input_that_is_no_object_points_nowhere(given: Any) -> None:
    assert (called("Read", given).path, called("Read", given).kind) == ("", "call")


@pytest.mark.parametrize(
    ("tool", "given", "flag"),
    [
        ("ExitPlanMode", {"plan": "x"}, "plan"),
        ("exit_plan_mode", {"plan": "x"}, "plan"),
        ("Skill", {"skill": "pdf"}, "skill:pdf"),
        ("Skill", {"command": "pdf"}, "skill:pdf"),
        ("SendMessage", {"recipient": "ann"}, "to:ann"),
        ("SendMessage", {"to": "ann", "type": "shutdown_response", "approve": False}, "to:ann"),
        ("SendMessage", {"type": "shutdown_response", "approve": True}, "shutdown"),
        ("Workflow", {"name": "sweep"}, ""),
    ],
)
def test_some_calls_mean_more_than_their_name(tool: str, given: Any, flag: str) -> None:
    assert called(tool, given).flag == flag


# devtools 8
def test_a_result_without_content_or_error_is_empty_and_good() -> None:
    message = heard([{"type": "tool_result", "tool_use_id": "t1"}])

    assert message.pieces == (Piece(0, "result", 0, "t1", is_error=False),)


@pytest.mark.parametrize(
    ("content", "weight"),
    [
        ("a" * 12, 3),
        ("", 0),
        (None, 0),
        ([], 1),
        ([{"type": "text", "text": "hi"}], tokens('[{"type":"text","text":"hi"}]')),
        ([{"a": 1}, {"b": 2}], tokens('[{"a":1},{"b":2}]')),
        (["hi"], tokens('["hi"]')),
        ({"a": 1}, tokens('{"a":1}')),
        (7, 1),
    ],
)
def test_a_result_weighs_its_text_or_its_json(content: Any, weight: int) -> None:
    assert answered(content).tokens == weight


@pytest.mark.parametrize(
    ("content", "weight"),
    [
        ([IMAGE], IMAGE_TOKENS + 1),
        ([{"a": 1}, IMAGE, {"b": 2}, IMAGE], 2 * IMAGE_TOKENS + tokens('[{"a":1},{"b":2}]')),
        (IMAGE, IMAGE_TOKENS),
    ],
)
def test_images_in_a_result_weigh_a_fixed_amount(content: Any, weight: int) -> None:
    assert answered(content).tokens == weight


def test_a_result_that_cannot_be_read_is_weighed_as_it_stands() -> None:
    broken = Raw(b'"\\ud800"')

    assert result(0, "t1", broken, False, broken) == Piece(0, "result", 2, "t1")


# format 9
@pytest.mark.parametrize("told", ["Error: no", [{"type": "text"}], {"stdout": ""}, 7, None])
def test_a_structured_result_may_have_any_shape(told: Any) -> None:
    assert answered("four", result=told) == Piece(0, "result", 1, "toolu_1")


@pytest.mark.parametrize("name", ["agentId", "agent_id"])
def test_a_result_names_the_agent_that_gave_it(name: str) -> None:
    assert reported({name: "a1", "status": "completed"}) == AgentReport("a1", status="completed")


def test_a_result_tells_all_it_knows_of_an_agent() -> None:
    told = {"agentId": "a1", "isAsync": True, "color": "red", "team_name": "t", "name": "ann"}

    assert reported(told) == AgentReport(
        "a1", color="red", team_name="t", name="ann", is_async=True
    )


def test_a_workflow_is_known_by_its_run() -> None:
    told = {"runId": "wf_1", "transcriptDir": "/x/wf_1"}

    assert reported(told) == AgentReport(run_id="wf_1", transcript_dir="/x/wf_1")


def test_a_result_with_one_odd_field_still_names_its_agent() -> None:
    assert reported({"agentId": "a1", "status": 200}) == AgentReport("a1")


@pytest.mark.parametrize(
    ("content", "agent"),
    [
        ("Found it.\nagentId: a1b2 (for resuming)", "a1b2"),
        ([{"type": "text", "text": "agentId: old, then agentId: a1b2"}], "a1b2"),
    ],
)
def test_older_results_name_the_agent_in_their_text(content: Any, agent: str) -> None:
    assert reported({"status": "completed"}, content) == AgentReport(agent)


@pytest.mark.parametrize("text", ["agentId: ", "agentId: {not-an-id}", "no agent", "agentId:a1"])
def test_text_that_names_no_agent_reports_none(text: str) -> None:
    assert reported({}, text) is None


# devtools 53
@pytest.mark.parametrize(
    "fields",
    [
        {"failed": True, "result": "User rejected tool use"},
        {"failed": True, "result": f"Error: {REJECTED}"},
        {"failed": True},
        {"result": "User rejected tool use"},
        {"toolDenialKind": "user-rejected"},
    ],
)
def test_what_a_person_refused_is_rejected(fields: Any) -> None:
    assert answered(REJECTED, **fields).flag == "rejected"


def test_output_that_reads_like_a_refusal_is_none() -> None:
    assert answered(REJECTED, result={"stdout": REJECTED}).flag == ""


def test_what_auto_mode_forbids_is_denied() -> None:
    text = "Permission for this action was denied by the Claude Code auto mode classifier."

    assert answered(text, failed=True).flag == "denied"
    assert answered("x", failed=True, toolDenialKind="automode-blocked").flag == "denied"


def test_what_nobody_could_judge_is_an_error_and_was_not_refused() -> None:
    text = "opus is temporarily unavailable, so auto mode cannot determine the safety of Bash."
    found = answered(text, toolDenialKind="automode-unavailable")

    assert (found.flag, found.is_error, result_state(found)) == ("", True, "error")


def test_an_exit_code_before_other_words_is_an_error() -> None:
    assert answered(f"Exit code 1\nlog of {STOPPED}", failed=True).flag == ""


@pytest.mark.parametrize("fields", [{"failed": True}, {"toolDenialKind": "permission-rule"}])
def test_what_a_rule_forbids_is_denied(fields: Any) -> None:
    assert answered("Permission to use Bash has been denied.", **fields).flag == "denied"


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        (STOPPED, {}),
        (STOPPED, {"failed": True, "result": f"Error: {STOPPED}"}),
        ("partial", {"result": {"stdout": "partial", "interrupted": True}}),
        ("x", {"toolDenialKind": "interrupted"}),
        (f"Exit code 137\n{STOPPED}", {"failed": True}),
        ("x", {"failed": True, "result": f"Error: Exit code 137\n{STOPPED}\npartial"}),
    ],
)
def test_what_a_person_stopped_is_interrupted(content: str, fields: Any) -> None:
    assert answered(content, **fields).flag == "interrupted"


def test_a_long_result_lies_in_a_file_of_its_own() -> None:
    assert answered("<persisted-output>\nOutput too large").flag == "persisted"


# devtools 65
def test_an_error_stays_an_error() -> None:
    assert answered("Exit code 1", failed=True) == Piece(0, "result", 3, "toolu_1", is_error=True)
