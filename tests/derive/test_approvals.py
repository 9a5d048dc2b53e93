"""Who is asking for approval, by the hooks."""

from msgspec import Raw

from tests.derive.hooked import at, hook
from unspool.derive.approvals import HookState, hook_state
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
