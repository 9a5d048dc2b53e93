"""Who is asking for approval, by the hooks."""

from typing import Any

from msgspec import Raw

from tests.derive.hooked import at, hook
from unspool.derive.approvals import HookFold, HookState, hook_state, input_print
from unspool.model.hooks import HookEvent


def ask(seconds: float, tool: str = "Bash", **data: str) -> HookEvent:
    return hook("PermissionRequest", seconds, tool_name=tool, **data)


def after(seconds: float, tool: str = "Bash", **data: str) -> HookEvent:
    return hook("PostToolUse", seconds, tool_name=tool, tool_use_id="t1", **data)


def test_no_events_tell_nothing() -> None:
    assert hook_state([]) == HookState()


def test_an_event_that_tells_nothing_leaves_no_state() -> None:
    assert hook_state([hook("ConfigChange", 1)]) == HookState(last_at=at(1))


def test_a_request_asks_until_its_tool_has_run() -> None:
    asked = hook_state([hook("PreToolUse", 1, tool_name="Bash"), ask(2)])

    assert (asked.asks, asked.asked_at) == (True, at(2))
    assert not hook_state([ask(2), after(3)]).asks


def test_another_tool_that_ends_does_not_settle_a_request() -> None:
    assert hook_state([ask(1, "Bash"), ask(2, "Write"), after(3, "Write")]).asked_at == at(1)


def test_a_failed_or_denied_call_settles_its_request() -> None:
    for event in ("PostToolUseFailure", "PermissionDenied"):
        assert not hook_state([ask(1), hook(event, 2, tool_name="Bash")]).asks


def test_a_subagents_call_does_not_settle_the_main_threads_request() -> None:
    assert hook_state([ask(1), after(2, agent_id="a1")]).asks


def test_a_subagent_asks_too_until_it_stops() -> None:
    asked = [ask(1, agent_id="a1")]

    assert hook_state(asked).asks
    assert not hook_state([*asked, hook("SubagentStop", 2, agent_id="a1")]).asks


def test_a_new_prompt_settles_every_request() -> None:
    assert not hook_state([ask(1), ask(2, agent_id="a1"), hook("UserPromptSubmit", 3)]).asks


def test_the_end_of_a_turn_settles_the_main_threads_requests_only() -> None:
    events = [ask(1), ask(2, agent_id="a1"), hook("Stop", 3)]

    assert hook_state(events).asked_at == at(2)


def test_a_permission_notification_asks_and_any_result_settles_it() -> None:
    asked = [hook("Notification", 1, notification_type="permission_prompt", message="m")]

    assert hook_state(asked).asks
    assert not hook_state([*asked, after(2)]).asks


def test_a_notification_of_a_known_request_asks_nothing_new() -> None:
    told = hook("Notification", 8, notification_type="permission_prompt")

    assert not hook_state([ask(1), told, after(9)]).asks
    assert hook_state([ask(1), told]).asked_at == at(1)


def test_the_sentence_of_an_older_notification_is_enough() -> None:
    asks = hook("Notification", 1, message="Claude needs your permission to use Bash")
    waits = hook("Notification", 2, message="Claude is waiting for your input")

    assert hook_state([asks]).asks
    assert hook_state([waits]).state == "waiting_for_input"


def test_other_notifications_and_odd_data_tell_nothing() -> None:
    odd = [hook("Notification", 1, notification_type="auth_success"), hook("Notification", 2)]
    for data in (b"{", b"[]", b'{"message": 7}'):
        odd.append(HookEvent(event="Notification", event_type="notification", data=Raw(data)))

    assert hook_state(odd) == HookState(last_at=at(2))


def test_a_question_of_an_mcp_server_asks_until_it_is_answered() -> None:
    asked = [hook("Elicitation", 1, mcp_server_name="x", message="which?")]

    assert hook_state(asked).asks
    assert not hook_state([*asked, hook("ElicitationResult", 2, action="accept")]).asks


def test_since_is_when_the_state_was_entered() -> None:
    events = [hook("UserPromptSubmit", 1), hook("PreToolUse", 2, tool_name="Bash"), after(3)]

    assert hook_state(events) == HookState("working", at(1), at(3))


def test_a_subagent_at_work_does_not_set_the_main_thread_to_work() -> None:
    events = [hook("Stop", 1), hook("PreToolUse", 2, tool_name="Read", agent_id="a1")]

    assert hook_state(events).state == "waiting_for_input"


def begun(seconds: float, call: str, command: str = "ls") -> HookEvent:
    given = {"tool_input": {"command": command}, "tool_name": "Bash"}
    return hook("PreToolUse", seconds, tool_use_id=call, **given)


def asked(seconds: float, command: str = "ls", **data: Any) -> HookEvent:
    given = {"tool_input": {"command": command}, "tool_name": "Bash"}
    return hook("PermissionRequest", seconds, **given, **data)


def ended(seconds: float, call: str, command: str = "ls", **data: Any) -> HookEvent:
    given = {"tool_input": {"command": command}, "tool_name": "Bash", "tool_use_id": call}
    return hook(data.pop("event", "PostToolUse"), seconds, **given, **data)


def told(*events: HookEvent) -> list[tuple[str, str, str, int | None]]:
    fold = HookFold()
    for event in events:
        fold.feed(event)
    approvals = [*fold.settled, *fold.open]
    return [(one.tool_use_id, one.decision, one.by, one.waited_ms) for one in approvals]


def test_a_recorded_sequence_gives_the_wait_from_request_to_end() -> None:
    assert told(begun(1, "t1"), asked(2), ended(9, "t1")) == [("t1", "allow", "user", 7_000)]


def test_the_time_a_tool_ran_is_no_wait() -> None:
    assert told(asked(2), ended(9, "t1", duration_ms=4_500.5)) == [("t1", "allow", "user", 2_500)]
    assert told(asked(2), ended(9, "t1", duration_ms=60_000)) == [("t1", "allow", "user", 0)]


def test_a_failure_was_allowed_too() -> None:
    assert told(asked(2), ended(9, "t1", event="PostToolUseFailure"))[0][1] == "allow"


def test_a_denial_is_a_rules_decision() -> None:
    denied = ended(9, "t1", event="PermissionDenied")

    assert told(asked(2), denied) == [("t1", "deny", "rule", 7_000)]
    assert told(denied) == [("t1", "deny", "rule", 0)]


def test_a_notification_alone_measures_the_wait() -> None:
    shown = hook("Notification", 3, notification_type="permission_prompt")

    assert told(begun(1, "t1"), shown, ended(9, "t1")) == [("t1", "allow", "user", 6_000)]


def test_a_request_is_for_the_call_with_its_input() -> None:
    events = [begun(1, "t1", "ls"), begun(1, "t2", "rm"), asked(2, "rm"), asked(3, "ls")]

    assert told(*events, ended(8, "t1", "ls"), ended(9, "t2", "rm")) == [
        ("t1", "allow", "user", 5_000),
        ("t2", "allow", "user", 7_000),
    ]


def test_equal_calls_at_once_are_settled_each_by_its_own_end() -> None:
    events = [begun(1, "t1"), begun(1, "t2"), asked(2), asked(3)]

    assert told(*events, ended(9, "t2"), ended(10, "t1")) == [
        ("t2", "allow", "user", 6_000),
        ("t1", "allow", "user", 8_000),
    ]


def test_an_input_that_was_changed_by_who_allowed_it_is_still_the_call() -> None:
    assert told(asked(2, "rm -r /"), ended(9, "t1", "rm -r build"))[0][0] == "t1"


def test_the_order_of_keys_does_not_tell_two_inputs_apart() -> None:
    one, two = (
        hook("PreToolUse", 1, tool_input=given) for given in ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    )

    assert input_print(one.data) == input_print(two.data)


def test_a_request_that_a_hook_answered_is_not_open() -> None:
    events = [begun(1, "t1"), asked(2, decision="allow")]

    assert told(*events) == [("t1", "allow", "hook", 0)]
    assert not hook_state(events).asks


def test_a_request_that_the_turn_outlived_has_no_known_decision() -> None:
    assert told(asked(2), hook("Stop", 5)) == [("", "", "", 3_000)]


def test_an_open_request_has_not_waited_yet() -> None:
    assert told(asked(2)) == [("", "", "", None)]


def test_the_state_holds_the_oldest_open_request() -> None:
    first = asked(2)

    assert hook_state([first, asked(3, "rm")]).asked == first
