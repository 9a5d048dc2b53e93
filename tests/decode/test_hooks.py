import json
from typing import Any, get_args

import pytest

from unspool.decode.hooks import hook_event, snake_case
from unspool.model.hooks import HookEvent, HookPayload, OtherHook

CALL = {
    "session_id": "s1",
    "prompt_id": "p1",
    "cwd": "/repo",
    "hook_event_name": "PostToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "toolu_1",
    "duration_ms": 12,
    "agent_id": "a1",
}


def line(value: Any) -> bytes:
    return json.dumps(value).encode()


def event(value: Any) -> HookEvent:
    found = hook_event(line(value))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("PreToolUse", "pre_tool_use"),
        ("Stop", "stop"),
        ("CwdChanged", "cwd_changed"),
        ("pre_tool_use", "pre_tool_use"),
        ("MCPServerStart", "mcp_server_start"),
        ("pre-tool-use", "pre_tool_use"),
    ],
)
def test_event_names_have_a_snake_case_form(name: str, expected: str) -> None:
    assert snake_case(name) == expected


def test_there_are_thirty_three_known_events() -> None:
    assert len(get_args(HookPayload)) == 33 + len([OtherHook])


def test_a_payload_on_stdin_becomes_an_event() -> None:
    found = event(CALL)

    assert (found.event, found.event_type, found.source) == (
        "PostToolUse",
        "post_tool_use",
        "stdin",
    )
    assert (found.session_id, found.tool_use_id, found.tool_name) == ("s1", "toolu_1", "Bash")
    assert (found.agent_id, found.prompt_id, found.duration_ms) == ("a1", "p1", 12)
    assert found.timestamp == ""
    assert json.loads(bytes(found.data)) == CALL


# format 18
def test_an_unknown_event_is_kept_whole() -> None:
    payload = {"hook_event_name": "Dreamt", "session_id": "s1", "of": {"sheep": 3}}

    found = event(payload)

    assert found.event_type == "dreamt"
    assert json.loads(bytes(found.data)) == payload


def test_a_logged_event_brings_its_decision() -> None:
    found = event(
        {
            "timestamp": "2026-01-17T18:30:00.000Z",
            "sessionId": "s1",
            "eventType": "PreToolUse",
            "toolUseId": "toolu_1",
            "toolName": "Bash",
            "decision": "block",
            "handlerResults": {"guard": {"allowed": False}},
            "input": {"session_id": "s1", "agent_id": "a1"},
        }
    )

    assert (found.event_type, found.decision, found.source) == ("pre_tool_use", "block", "log")
    assert (found.tool_use_id, found.tool_name, found.agent_id) == ("toolu_1", "Bash", "a1")
    assert json.loads(bytes(found.handler_results)) == {"guard": {"allowed": False}}


def test_a_logged_event_may_say_it_all_in_its_input() -> None:
    found = event({"eventType": "PostToolUse", "input": CALL})

    assert (found.session_id, found.tool_use_id, found.tool_name) == ("s1", "toolu_1", "Bash")


def test_a_posted_event_is_taken_out_of_its_envelope() -> None:
    found = event(
        {"type": "PostToolUse", "sessionId": "s1", "timestamp": "t", "uuid": "e1", "data": CALL}
    )

    assert (found.event_type, found.uuid, found.source) == ("post_tool_use", "e1", "post")
    assert (found.timestamp, found.tool_use_id) == ("t", "toolu_1")
    assert json.loads(bytes(found.data)) == CALL


def test_a_posted_event_in_snake_case_gets_its_own_name_back() -> None:
    assert event({"type": "post_tool_use", "data": CALL}).event == "PostToolUse"


def test_an_agent_may_be_named_in_the_older_way() -> None:
    payload = {"hook_event_name": "SubagentStart", "agentId": "a1"}

    assert event(payload).agent_id == "a1"


def test_a_broken_character_does_not_cost_the_event() -> None:
    found = hook_event(rb'{"hook_event_name":"Stop","x":"\ud800"}')

    assert found is not None
    assert bytes(found.data) == '{"hook_event_name":"Stop","x":"\ufffd"}'.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[1]",
        b"{}",
        b"{",
        b'{"hook_event_name":null}',
        b'{"eventType":7}',
        b'{"type":[]}',
        b"\xff\xff",
        b"[" * 5000,
    ],
)
def test_what_names_no_event_is_none(data: bytes) -> None:
    assert hook_event(data) is None
