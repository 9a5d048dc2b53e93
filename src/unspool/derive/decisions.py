"""Tool calls and hook events -> for each call its events, who decided, and how long it waited.

Events name their call by id. A permission request does not: its call is the one of the same
agent, tool and input that was open at the time of the request.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Raw, structs

from unspool.derive.approvals import Approval, approvals, input_print
from unspool.derive.story.tools import Call
from unspool.model.document import ToolHook
from unspool.model.hooks import HookEvent

_LATE_MS: Final = 2_000  # a line may be written after its hooks ran

CallInput = Callable[[Call], Raw]


def decisions(
    calls: Sequence[Call],
    events: Sequence[HookEvent],
    input_of: CallInput | None = None,
    agent: str = "",
) -> dict[str, ToolHook]:
    """Decisions by call id; `agent` is the one whose transcript has the calls, "" the main one."""
    hooks = {call.piece.id: ToolHook(events=tuple(call.hooks)) for call in calls if call.hooks}
    by_id = {call.piece.id: call for call in calls}
    requests: dict[int, str] = {}
    for one in approvals(events):
        call = by_id.get(one.tool_use_id) or _call_of(one, calls, input_of, agent)
        if call is not None:
            name = call.piece.id
            hooks[name] = _decided(hooks.get(name, ToolHook()), _by_result(one, call))
            requests[id(one.request)] = name
    for event in events:
        name = event.tool_use_id or requests.get(id(event), "")
        known = hooks.get(name, ToolHook())
        if name in by_id and event.event not in known.events:
            hooks[name] = structs.replace(known, events=(*known.events, event.event))
    return hooks


def _decided(known: ToolHook, one: Approval) -> ToolHook:
    """The last decision counts; a hook that passes a call without one changes nothing."""
    if not one.decision and known.decision:
        return known
    waited = one.waited_ms if one.request and known.waited_ms is None else known.waited_ms
    return ToolHook(one.decision, waited, known.events, one.by)


def _by_result(one: Approval, call: Call) -> Approval:
    """The decision by the call's result, where no hook reported its end."""
    if one.decision or call.result is None:
        return one
    is_refused = call.state(may_run=False) in ("rejected", "interrupted")
    return structs.replace(
        one, decision="deny" if is_refused else "allow", by="user", settled_at=call.end
    )


def _call_of(
    one: Approval, calls: Iterable[Call], input_of: CallInput | None, agent: str
) -> Call | None:
    """The call that was open at the time of a request; of several the one with its input."""
    if one.asked_at is None or one.tool_use_id or not one.tool_name or one.agent_id != agent:
        return None
    candidates = [
        call for call in calls if call.piece.name == one.tool_name and _was_open(call, one.asked_at)
    ]
    if len(candidates) > 1 and input_of is not None and one.request is not None:
        expected = input_print(one.request.data)
        same = [call for call in candidates if _print(input_of(call)) == expected]
        candidates = same or candidates
    return candidates[-1] if candidates else None


def _was_open(call: Call, at: int) -> bool:
    return (
        call.start is not None
        and call.start - _LATE_MS <= at
        and (call.end is None or at <= call.end)
    )


def _print(raw: Raw) -> int:
    return input_print(Raw(b'{"tool_input":' + bytes(raw) + b"}"))
