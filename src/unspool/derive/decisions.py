"""Tool calls and hook events -> what hooks said about each call, who decided, how long it waited.

Events name their call by id. A request for permission has none: its call is the one with the
same agent, tool and input that ran, or waited, when the request was made.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Raw, structs

from unspool.derive.approvals import Approval, approvals, input_print
from unspool.derive.story.tools import Call
from unspool.model.document import ToolHook
from unspool.model.hooks import HookEvent

_LATE_MS: Final = 2_000  # a line may be written after its hooks were told

Given = Callable[[Call], Raw]


def decisions(
    calls: Sequence[Call], events: Sequence[HookEvent], given: Given | None = None, agent: str = ""
) -> dict[str, ToolHook]:
    """Call -> what is known; `agent` is whose transcript the calls are of, "" the main one."""
    found = {call.piece.id: ToolHook(events=tuple(call.hooks)) for call in calls if call.hooks}
    by_id = {call.piece.id: call for call in calls}
    requests: dict[int, str] = {}
    for one in approvals(events):
        call = by_id.get(one.tool_use_id) or _call_of(one, calls, given, agent)
        if call is not None:
            name = call.piece.id
            found[name] = _decided(found.get(name, ToolHook()), _by_result(one, call))
            requests[id(one.request)] = name
    for event in events:
        name = event.tool_use_id or requests.get(id(event), "")
        known = found.get(name, ToolHook())
        if name in by_id and event.event not in known.events:
            found[name] = structs.replace(known, events=(*known.events, event.event))
    return found


def _decided(known: ToolHook, one: Approval) -> ToolHook:
    """The last word counts; that a hook let a call pass is none on what was asked after all."""
    if not one.decision and known.decision:
        return known
    waited = one.waited_ms if one.request and known.waited_ms is None else known.waited_ms
    return ToolHook(one.decision, waited, known.events, one.by)


def _by_result(one: Approval, call: Call) -> Approval:
    """The answer by what became of the call, where no hook told of its end."""
    if one.decision or call.result is None:
        return one
    refused = call.state(may_run=False) in ("rejected", "interrupted")
    return structs.replace(
        one, decision="deny" if refused else "allow", by="user", settled_at=call.end
    )


def _call_of(one: Approval, calls: Iterable[Call], given: Given | None, agent: str) -> Call | None:
    """The call that was open when it was asked for; of several the one with the same input."""
    if one.asked_at is None or one.tool_use_id or not one.tool_name or one.agent_id != agent:
        return None
    fitting = [
        call for call in calls if call.piece.name == one.tool_name and _was_open(call, one.asked_at)
    ]
    if len(fitting) > 1 and given is not None and one.request is not None:
        wanted = input_print(one.request.data)
        fitting = [call for call in fitting if _print(given(call)) == wanted] or fitting
    return fitting[-1] if fitting else None


def _was_open(call: Call, at: int) -> bool:
    return (
        call.start is not None
        and call.start - _LATE_MS <= at
        and (call.end is None or at <= call.end)
    )


def _print(given: Raw) -> int:
    return input_print(Raw(b'{"tool_input":' + bytes(given) + b"}"))
