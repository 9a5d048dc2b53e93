"""Which call a hook's event is about, who decided, and how long it waited."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.json import encode

from tests.derive.hooked import at, hook
from tests.derive.reads import messages_of
from tests.examples import examples
from unspool.demo import Transcript, tool_block
from unspool.derive.approvals import HookFold
from unspool.derive.decisions import HookIndex, decisions
from unspool.derive.reading.clock import iso
from unspool.derive.story.tools import ToolFold
from unspool.model.document import ToolHook
from unspool.model.hooks import HookEvent

BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def calls(made: Transcript) -> ToolFold:
    fold = ToolFold()
    for message in messages_of(made):
        fold.feed(message)
    return fold


def index(events: Sequence[HookEvent]) -> HookIndex:
    made = HookIndex()
    made.update(events)
    return made


def asked() -> Transcript:
    """A call at the first second."""
    return Transcript().user("go").calls("Bash", command="ls", id="t1")


def told(made: Transcript, *events: HookEvent, **options: Any) -> dict[str, ToolHook]:
    tools = calls(made)
    return decisions(tools.executions(), tools, index(events), **options)


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
    made = asked().attachment("hook_success", **ran)

    assert told(made)["t1"].events == calls(made).calls["t1"].hooks != ()


def brute_force(tools: ToolFold, events: Sequence[HookEvent]) -> dict[str, set[str]]:
    """The events of each call, by trying every request with every call."""
    fold = HookFold()
    for event in events:
        fold.feed(event)
    found: dict[str, set[str]] = {id: set() for id in tools.calls}
    for one in (*fold.settled, *fold.open):
        if one.request is None or one.request.tool_use_id:
            continue
        fitting = [
            call
            for call in tools.executions()
            if call.piece.name == one.tool_name and call.was_open(one.asked_at or 0, 2_000)
        ]
        id = one.tool_use_id or (fitting[-1].piece.id if fitting else "")
        if id in found:
            found[id].add(one.request.event)
    for event in events:
        if event.tool_use_id in found:
            found[event.tool_use_id].add(event.event)
    return {id: names for id, names in found.items() if names}


SECONDS = st.sampled_from([0, 1, 2, 4, 9, 50, 500, 1_500, 2_000, 5_000])
TOOLS = st.sampled_from(["Bash", "Read"])
EVENTS = st.builds(
    lambda name, seconds, tool, call: hook(
        name, seconds, tool_name=tool, **({"tool_use_id": call} if call else {})
    ),
    st.sampled_from(["PermissionRequest", "PermissionRequest", "PostToolUse", "Stop"]),
    SECONDS,
    TOOLS,
    st.sampled_from(["", "", "t1", "t2"]),
)
LINES = st.lists(st.tuples(SECONDS, TOOLS, st.sampled_from([None, 1, 30, 3_000])), max_size=6)


@settings(max_examples=examples(200))
@given(LINES, st.lists(EVENTS, max_size=8))
def test_a_request_finds_the_call_that_a_search_of_all_calls_finds(
    lines: list[tuple[int, str, int | None]], events: list[HookEvent]
) -> None:
    made = Transcript()
    for number, (seconds, tool, took) in enumerate(lines):
        made.calls(tool, {}, id=f"t{number}", timestamp=iso(at(seconds)))
        if took is not None:
            made.returns("ok", call=f"t{number}", timestamp=iso(at(seconds + took)))
    tools, ordered = calls(made), sorted(events, key=lambda event: event.timestamp)
    found = decisions(tools.executions(), tools, index(ordered))

    assert {id: set(hook.events) for id, hook in found.items()} == brute_force(tools, ordered)


@settings(max_examples=examples(100))
@given(LINES, st.lists(EVENTS, max_size=8))
def test_events_that_come_one_by_one_are_decided_as_if_all_came_at_once(
    lines: list[tuple[int, str, int | None]], events: list[HookEvent]
) -> None:
    made, grown = Transcript(), HookIndex()
    for number, (seconds, tool, _) in enumerate(lines):
        made.calls(tool, {}, id=f"t{number}", timestamp=iso(at(seconds)))
    tools = calls(made)
    every = tools.executions()
    for count in range(len(events)):
        known = sorted(events[: count + 1], key=lambda event: event.timestamp)
        grown.update(known)

        assert decisions(every, tools, grown) == decisions(every, tools, index(known))
