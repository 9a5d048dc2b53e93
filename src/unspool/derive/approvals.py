"""Hook events -> who is asking for approval, what was decided, and how long that took.

A request carries no call id: it is tied to its call by agent, tool and input, and the call's
end, or whatever else shows that the session went on, settles it.
"""

import zlib
from collections.abc import Iterable
from copy import copy
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Raw, Struct, structs

from unspool.derive.reading.clock import millis
from unspool.derive.reading.estimate import TROUBLE
from unspool.derive.reading.heads import beginning
from unspool.model.document import StatusName
from unspool.model.hooks import HookEvent

Who: TypeAlias = Literal["", "user", "hook", "rule"]

_ASKS: Final = frozenset({"permission_request", "elicitation"})
_SETTLES: Final[dict[str, str]] = {
    "post_tool_use": "allow",
    "post_tool_use_failure": "allow",
    "permission_denied": "deny",
    "elicitation_result": "",
}
_STATES: Final[dict[str, StatusName]] = {
    "user_prompt_submit": "working",
    "pre_tool_use": "working",
    "post_tool_batch": "working",
    "pre_compact": "working",
    "stop": "waiting_for_input",
    "stop_failure": "failed",
    "session_start": "waiting_for_input",
    "session_end": "ended",
    **dict.fromkeys(_SETTLES, "working"),
}
_DROPS_ALL: Final = frozenset({"user_prompt_submit", "session_start", "session_end"})
_DROPS_OWN: Final = frozenset({"post_tool_batch", "stop", "stop_failure", "subagent_stop"})
_NOTIFICATIONS: Final = {
    "permission_prompt": "permission_request",
    "elicitation_dialog": "elicitation",
    "elicitation_url_dialog": "elicitation",
    "elicitation_complete": "elicitation_result",
    "elicitation_response": "elicitation_result",
    "idle_prompt": "stop",
}
_HEAD: Final = 500  # characters of an error
_MOST_BEGUN: Final = 1_000  # calls whose end no hook will tell


class Approval(Struct, frozen=True, kw_only=True):
    """One question put to somebody, and its answer; times in milliseconds."""

    tool_use_id: str = ""  # "" where no hook names the call
    tool_name: str = ""
    agent_id: str = ""
    asked_at: int | None = None
    settled_at: int | None = None
    decision: str = ""  # allow, deny, or a hook's own word; "" where nobody can tell
    by: Who = ""
    request: HookEvent | None = None

    @property
    def waited_ms(self) -> int | None:
        """From question to answer; None while it is open, or where a time is missing."""
        if self.asked_at is None or self.settled_at is None:
            return None
        return max(0, self.settled_at - self.asked_at)


class HookState(Struct, frozen=True):
    """Where a session's hooks leave it; no state where none of them tells."""

    state: StatusName | None = None
    since: int | None = None
    last_at: int | None = None
    asks: bool = False
    asked_at: int | None = None
    asked: HookEvent | None = None  # the oldest request that is still open
    error: str = ""  # where it failed last: what Claude Code wrote


class HookFold:
    """A session's events, oldest first, fed one by one."""

    def __init__(self) -> None:
        self.settled: list[Approval] = []
        self._state: StatusName | None = None
        self._since: int | None = None
        self._last: int | None = None
        self._open: list[Approval] = []
        self._error = ""
        self._begun: dict[str, tuple[str, str, int]] = {}  # call -> agent, tool, input

    def feed(self, event: HookEvent) -> None:
        """Add the next event."""
        kind, at = _kind(event), millis(event.timestamp)
        self._last = at or self._last
        if kind in _ASKS:
            self._ask(event, at)
        elif kind == "pre_tool_use":
            self._begin(event, at)
        elif kind in _SETTLES:
            self._settle(event, at, _SETTLES[kind])
        elif kind in _DROPS_ALL:
            self._drop(self._open, at)
        elif kind in _DROPS_OWN:
            self._drop([one for one in self._open if one.agent_id == event.agent_id], at)
        # A subagent at work says nothing about the thread that started it.
        entered = None if event.agent_id else _STATES.get(kind)
        if entered == "failed":
            self._error = _error(event)
        if entered is not None and entered != self._state:
            self._state, self._since = entered, at

    def copy(self) -> "HookFold":
        """The same, to go on apart."""
        made = copy(self)
        made.settled, made._open, made._begun = [*self.settled], [*self._open], {**self._begun}
        return made

    @property
    def state(self) -> HookState:
        """Where they leave the session now."""
        first = self._open[0] if self._open else Approval()
        return HookState(
            self._state,
            self._since,
            self._last,
            bool(self._open),
            first.asked_at,
            first.request,
            self._error,
        )

    @property
    def open(self) -> list[Approval]:
        """The questions that have no answer yet."""
        return self._open

    def _begin(self, event: HookEvent, at: int | None) -> None:
        if event.decision:
            # A hook that forbids or permits a call is its own answer to a question nobody saw.
            self.settled.append(_answered(event, at, event.tool_use_id))
        if event.tool_use_id:
            self._begun[event.tool_use_id] = _errand(event)
            if len(self._begun) > _MOST_BEGUN:
                del self._begun[next(iter(self._begun))]

    def _ask(self, event: HookEvent, at: int | None) -> None:
        call = event.tool_use_id or self._call_of(event)
        if event.decision:
            self.settled.append(_answered(event, at, call))
        elif event.tool_name or not self._open:
            asked = Approval(
                tool_use_id=call,
                tool_name=event.tool_name,
                agent_id=event.agent_id,
                asked_at=at,
                request=event,
            )
            self._open.append(asked)

    def _call_of(self, event: HookEvent) -> str:
        """The call a request is for: the first with the same input that nobody asked about yet."""
        wanted, asked = _errand(event), {one.tool_use_id for one in self._open}
        fitting = (id for id, begun in self._begun.items() if begun == wanted and id not in asked)
        return next(fitting, "")

    def _settle(self, event: HookEvent, at: int | None, decision: str) -> None:
        self._begun.pop(event.tool_use_id, None)
        found = self._settled_by(event)
        if found is None:
            if decision == "deny":
                self.settled.append(_denied(event, at))
            return
        self._open.remove(found)
        # A tool that says how long it ran began when it was let.
        ran = int(event.duration_ms or 0) if decision == "allow" else 0
        answer = structs.replace(
            found,
            tool_use_id=event.tool_use_id or found.tool_use_id,
            tool_name=found.tool_name or event.tool_name,
            settled_at=None if at is None else max(at - ran, found.asked_at or 0),
            decision=decision,
            by="rule" if decision == "deny" else "user" if decision else "",
        )
        self.settled.append(answer)

    def _settled_by(self, event: HookEvent) -> Approval | None:
        """The open question that an ended call answers, best proof first."""
        own = [one for one in self._open if one.agent_id == event.agent_id]
        if not own:
            return None
        named = [one for one in own if event.tool_use_id and one.tool_use_id == event.tool_use_id]
        if named:
            return named[0]
        nameless = [one for one in own if not one.tool_use_id or not event.tool_use_id]
        same = [one for one in nameless if one.tool_name == event.tool_name]
        wanted = _errand(event)
        exact = [one for one in same if one.request and _errand(one.request) == wanted]
        return next(iter(exact or same or [one for one in nameless if not one.tool_name]), None)

    def _drop(self, dropped: Iterable[Approval], at: int | None) -> None:
        gone = list(dropped)
        self.settled += [structs.replace(one, settled_at=at) for one in gone]
        self._open = [one for one in self._open if one not in gone]


def hook_state(events: Iterable[HookEvent]) -> HookState:
    """Go through a session's events, oldest first."""
    fold = HookFold()
    for event in events:
        fold.feed(event)
    return fold.state


def input_print(data: Raw) -> int:
    """A hash of a payload's tool input: equal for equal inputs, from any source."""
    try:
        return zlib.crc32(msgspec.json.encode(_fields(data).get("tool_input"), order="sorted"))
    except TROUBLE:
        return 0


def _answered(event: HookEvent, at: int | None, call: str) -> Approval:
    """A question that a hook answered itself."""
    return Approval(
        tool_use_id=call,
        tool_name=event.tool_name,
        agent_id=event.agent_id,
        asked_at=at,
        settled_at=at,
        decision=event.decision,
        by="hook",
    )


def _denied(event: HookEvent, at: int | None) -> Approval:
    """A call that a rule refused before anybody was asked."""
    return structs.replace(_answered(event, at, event.tool_use_id), decision="deny", by="rule")


def _kind(event: HookEvent) -> str:
    """The event's name; a notification counts as what it announces."""
    if event.event_type != "notification":
        return event.event_type
    found = _fields(event.data)
    type, message = _text(found.get("notification_type")), _text(found.get("message"))
    if not type:
        # Older versions gave only the sentence.
        type = "permission_prompt" if "permission" in message else ""
        type = "idle_prompt" if "waiting for your input" in message else type
    return _NOTIFICATIONS.get(type, "")


def _errand(event: HookEvent) -> tuple[str, str, int]:
    """Who does what: the same for a call, the request for it, and its end."""
    return event.agent_id, event.tool_name, input_print(event.data)


def _fields(data: Raw) -> dict[str, object]:
    try:
        value = msgspec.json.decode(data)
    except TROUBLE:
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _error(event: HookEvent) -> str:
    """What Claude Code wrote about a request that failed, or its word for it."""
    told = _fields(event.data)
    names = "last_assistant_message", "error_details", "error"
    sentence = next(filter(None, (_text(told.get(name)) for name in names)), "")
    return beginning(" ".join(sentence.split()), _HEAD)
