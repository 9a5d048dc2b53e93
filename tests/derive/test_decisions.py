"""Which call a hook's event is about, who decided, and how long it waited."""

from collections.abc import Sequence
from typing import Any

from msgspec import Raw
from msgspec.json import encode

from tests.derive.hooked import hook
from tests.derive.reads import entries_of
from unspool.demo import Transcript, tool_block
from unspool.derive.decisions import decisions
from unspool.derive.reading.messages import read
from unspool.derive.story.tools import Call, ToolFold
from unspool.model.document import ToolHook
from unspool.model.hooks import HookEvent

BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def calls(made: Transcript) -> list[Call]:
    fold = ToolFold()
    for number, entries in enumerate(entries_of(made), 1):
        for entry in entries:
            if (message := read(entry, number)) is not None:
                fold.feed(message)
    return list(fold.calls.values())


def asked() -> Transcript:
    """A call at the first second."""
    return Transcript().user("go").calls("Bash", command="ls", id="t1")


def told(made: Transcript, *events: HookEvent, **options: Any) -> dict[str, ToolHook]:
    return decisions(calls(made), events, **options)


def test_events_are_tied_to_their_call_by_its_id() -> None:
    events = [hook(name, 2, tool_use_id="t1", **BASH) for name in ("PreToolUse", "PostToolUse")]

    assert told(asked(), *events) == {"t1": ToolHook(events=("PreToolUse", "PostToolUse"))}


def test_a_call_that_was_asked_for_waited_until_it_began_to_run() -> None:
    found = told(
        asked(),
        hook("PreToolUse", 1, tool_use_id="t1", **BASH),
        hook("PermissionRequest", 2, **BASH),
        hook("PostToolUse", 12, tool_use_id="t1", duration_ms=3_000, **BASH),
    )["t1"]

    assert (found.decision, found.by, found.waited_ms) == ("allow", "user", 7_000)
    assert found.events == ("PreToolUse", "PermissionRequest", "PostToolUse")


def test_without_a_running_time_it_waited_until_the_call_ended() -> None:
    ended = hook("PostToolUseFailure", 12, tool_use_id="t1", **BASH)
    found = told(asked(), hook("PermissionRequest", 2, **BASH), ended)["t1"]

    assert (found.decision, found.waited_ms) == ("allow", 10_000)


def test_a_rule_that_refuses_is_a_decision() -> None:
    refused = hook("PermissionDenied", 5, tool_use_id="t1", reason="no", **BASH)

    assert told(asked(), hook("PermissionRequest", 2, **BASH), refused)["t1"] == ToolHook(
        "deny", 3_000, ("PermissionRequest", "PermissionDenied"), "rule"
    )
    assert told(asked(), refused)["t1"].decision == "deny"


def test_a_request_that_no_hook_settles_is_settled_by_the_result() -> None:
    granted = asked().wait(8).returns("ok")
    refused = "The user doesn't want to proceed with this tool use."
    rejected = asked().wait(8).returns(refused, failed=True, result="User rejected tool use")

    assert told(granted, hook("PermissionRequest", 2, **BASH))["t1"].decision == "allow"
    found = told(rejected, hook("PermissionRequest", 2, **BASH))["t1"]
    assert (found.decision, found.by, found.waited_ms) == ("deny", "user", 8_000)


def test_a_request_that_is_still_open_has_neither_decision_nor_wait() -> None:
    assert told(asked(), hook("PermissionRequest", 2, **BASH))["t1"] == ToolHook(
        events=("PermissionRequest",)
    )


def test_a_hook_that_decides_says_so_in_its_own_word() -> None:
    decided = {"tool_use_id": "t1", "decision": "block", **BASH}

    assert told(asked(), hook("PreToolUse", 1, **decided))["t1"] == ToolHook(
        "block", None, ("PreToolUse",), "hook"
    )


def test_of_two_calls_at_once_the_request_is_for_the_one_with_its_input() -> None:
    blocks = [tool_block("Bash", {"command": c}, c) for c in ("ls", "rm")]
    made = Transcript().user("go").answers([blocks])
    given = {"ls": {"command": "ls"}, "rm": {"command": "rm"}}
    request = hook("PermissionRequest", 2, **BASH)

    found = told(made, request, input_of=lambda call: Raw(encode(given[call.piece.id])))
    assert list(found) == ["ls"]


def test_two_requests_at_once_are_settled_each_by_its_own_call() -> None:
    other = {"tool_name": "Bash", "tool_input": {"command": "rm"}}
    blocks = [tool_block("Bash", {"command": c}, c) for c in ("ls", "rm")]
    made = Transcript().user("go").answers([blocks])
    requests = [hook("PermissionRequest", 2, **BASH), hook("PermissionRequest", 3, **other)]
    ends = [hook("PostToolUse", 9, tool_use_id="rm", **other)]
    found = told(made, *requests, *ends, hook("PostToolUse", 20, tool_use_id="ls", **BASH))

    assert (found["rm"].waited_ms, found["ls"].waited_ms) == (6_000, 18_000)


def test_a_request_of_an_agent_is_not_for_a_call_of_the_main_thread() -> None:
    request = hook("PermissionRequest", 2, agent_id="a1", **BASH)

    assert told(asked(), request) == {}
    assert list(told(asked(), request, agent="a1")) == ["t1"]


def test_a_request_from_before_or_after_is_not_for_the_call() -> None:
    made = Transcript().wait(100).user("go").calls("Bash", command="ls", id="t1").returns("ok")

    assert told(made, hook("PermissionRequest", 50, **BASH)) == {}
    assert told(made, hook("PermissionRequest", 500, **BASH)) == {}


def test_hooks_that_the_transcript_tells_of_are_kept() -> None:
    ran = {"hookEvent": "PreToolUse", "hookName": "PreToolUse:Bash", "toolUseID": "t1"}
    made: Sequence[Call] = calls(asked().attachment("hook_success", **ran))

    assert decisions(made, [])["t1"].events == tuple(made[0].hooks) != ()
