"""Tool calls and hook events -> for each call its events, who decided, and how long it waited.

Events name their call by id. A permission request does not: its call is the one of the same
agent, tool and input that was open at the time of the request.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from msgspec import Raw, structs

from unspool.derive.approvals import Approval, HookFold, input_print
from unspool.derive.story.tools import Call, ToolFold
from unspool.model.document import ToolHook
from unspool.model.hooks import HookEvent

_LATE_MS: Final = 2_000  # a line may be written after its hooks ran

CallInput = Callable[[Call], Raw]
# An approval and its place among all of them: those without an answer come last.
_Placed = tuple[int, Approval]


class HookIndex:
    """A session's hook events by call, and its approvals, kept as events come."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.events: list[HookEvent] = []
        self._fold = HookFold()
        self._by_call: dict[str, list[int]] = {}  # numbers of events
        self._requests: dict[int, int] = {}  # id() of an event without a call -> its number
        self._settled = 0
        # By call; those without one by tool, in the order of their times.
        self._approvals: dict[str, list[_Placed]] = {}
        self._nameless: dict[str, list[_Placed]] = {}
        self._open: dict[tuple[str, str], list[_Placed]] = {}  # without an answer: by call or tool

    def update(self, events: Sequence[HookEvent]) -> None:
        """Take in a session's events, oldest first; if earlier ones changed, all of them."""
        known = len(self.events)
        if self.events != list(events[:known]):
            self._reset()
            known = 0
        for event in events[known:]:
            number = len(self.events)
            self.events.append(event)
            self._fold.feed(event)
            if event.tool_use_id:
                self._by_call.setdefault(event.tool_use_id, []).append(number)
            else:
                self._requests[id(event)] = number
        for place in range(self._settled, len(self._fold.settled)):
            self._file(place, self._fold.settled[place])
        self._settled = len(self._fold.settled)
        self._open.clear()
        for place, one in enumerate(self._fold.open, self._settled):
            key = (one.tool_use_id, "") if one.tool_use_id else ("", one.tool_name)
            self._open.setdefault(key, []).append((place, one))

    def _file(self, place: int, one: Approval) -> None:
        if one.tool_use_id:
            self._approvals.setdefault(one.tool_use_id, []).append((place, one))
        elif one.asked_at is not None and one.tool_name:
            insort(self._nameless.setdefault(one.tool_name, []), (place, one), key=_asked_at)

    def approvals(self, call: Call) -> Iterator[_Placed]:
        """What was asked about a call by its id."""
        yield from self._approvals.get(call.piece.id, ())
        yield from self._open.get((call.piece.id, ""), ())

    def nameless(self, call: Call) -> Iterator[_Placed]:
        """The requests for a tool that may be for this call: it was open at their time."""
        requests = self._nameless.get(call.piece.name, [])
        first = bisect_left(requests, (call.start or 0) - _LATE_MS, key=_asked_at)
        for n in range(first, len(requests)):
            if not call.was_open(_asked_at(requests[n]), _LATE_MS):
                break
            yield requests[n]
        for place, one in self._open.get(("", call.piece.name), ()):
            if one.asked_at is not None and call.was_open(one.asked_at, _LATE_MS):
                yield place, one

    def events_of(self, call: Call, approvals: Iterable[Approval]) -> list[HookEvent]:
        """The events of a call, and the requests for it that do not name it, oldest first."""
        numbers = set(self._by_call.get(call.piece.id, ()))
        asked = (self._requests.get(id(one.request)) for one in approvals)
        numbers.update(number for number in asked if number is not None)
        return [self.events[number] for number in sorted(numbers)]


def decisions(
    calls: Iterable[Call],
    tools: ToolFold,
    hooks: HookIndex,
    input_of: CallInput | None = None,
    agent: str = "",
) -> dict[str, ToolHook]:
    """Decisions about some calls by their id.

    `tools` has all calls of their transcript; `agent` is whose it is, "" the main one.
    """
    found: dict[str, ToolHook] = {}
    for call in calls:
        placed = [*hooks.approvals(call)]
        for place, one in hooks.nameless(call):
            if one.agent_id == agent and _call_of(one, tools, input_of) is call:
                placed.append((place, one))
        approvals = [one for _, one in sorted(placed, key=_place)]
        events = hooks.events_of(call, approvals)
        if call.hooks or approvals or events:
            found[call.piece.id] = _hook(call, approvals, events)
    return found


def _hook(call: Call, approvals: Iterable[Approval], events: Iterable[HookEvent]) -> ToolHook:
    hook = ToolHook(events=call.hooks)
    for one in approvals:
        hook = _decided(hook, _by_result(one, call))
    names = list(hook.events)
    for event in events:
        if event.event not in names:
            names.append(event.event)
    return structs.replace(hook, events=tuple(names))


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


def _call_of(one: Approval, tools: ToolFold, input_of: CallInput | None) -> Call | None:
    """The call that was open at the time of a request; of several the one with its input."""
    open_calls = tools.open_at(one.asked_at or 0, _LATE_MS)
    candidates = [call for call in open_calls if call.piece.name == one.tool_name]
    if len(candidates) > 1 and input_of is not None and one.request is not None:
        expected = input_print(one.request.data)
        same = [call for call in candidates if _print(input_of(call)) == expected]
        candidates = same or candidates
    return candidates[-1] if candidates else None


def _place(placed: _Placed) -> int:
    return placed[0]


def _asked_at(placed: _Placed) -> int:
    return placed[1].asked_at or 0


def _print(raw: Raw) -> int:
    return input_print(Raw(b'{"tool_input":' + bytes(raw) + b"}"))
