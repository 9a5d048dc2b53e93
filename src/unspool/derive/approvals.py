"""Hook events -> who is asking for approval, and what the main thread is doing."""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Raw, Struct

from unspool.derive.reading.clock import millis
from unspool.model.document import StatusName
from unspool.model.hooks import HookEvent

_ASKS: Final = frozenset({"permission_request", "elicitation"})
_SETTLES: Final = frozenset(
    {"post_tool_use", "post_tool_use_failure", "permission_denied", "elicitation_result"}
)
_STATES: Final[dict[str, StatusName]] = {
    "user_prompt_submit": "working",
    "pre_tool_use": "working",
    "post_tool_batch": "working",
    "pre_compact": "working",
    "stop": "waiting_for_input",
    "stop_failure": "waiting_for_input",
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


class HookState(Struct, frozen=True):
    """Where a session's hooks leave it; no state where none of them tells."""

    state: StatusName | None = None
    since: int | None = None
    last_at: int | None = None
    asks: bool = False
    asked_at: int | None = None


def hook_state(events: Iterable[HookEvent]) -> HookState:
    """Go through a session's events, oldest first."""
    state: StatusName | None = None
    since = last = None
    asks: dict[tuple[str, str], int | None] = {}
    for event in events:
        kind, at = _kind(event), millis(event.timestamp)
        last = at or last
        _ask(asks, kind, event, at)
        # A subagent at work says nothing about the thread that started it.
        entered = None if event.agent_id else _STATES.get(kind)
        if entered is not None and entered != state:
            state, since = entered, at
    return HookState(state, since, last, bool(asks), next(iter(asks.values()), None))


def _ask(
    asks: dict[tuple[str, str], int | None], kind: str, event: HookEvent, at: int | None
) -> None:
    """Open or settle a question. A request carries no call id, so its tool's name stands in."""
    agent = event.agent_id
    if kind in _ASKS:
        if event.tool_name or not asks:
            asks.setdefault((agent, event.tool_name), at)
    elif kind in _SETTLES:
        asks.pop((agent, event.tool_name), None)
        asks.pop((agent, ""), None)
    elif kind in _DROPS_ALL:
        asks.clear()
    elif kind in _DROPS_OWN:
        for key in [key for key in asks if key[0] == agent]:
            del asks[key]


def _kind(event: HookEvent) -> str:
    """The event's name; a notification counts as what it announces."""
    if event.event_type != "notification":
        return event.event_type
    type, message = _notification(event.data)
    if not type:
        # Older versions gave only the sentence.
        type = "permission_prompt" if "permission" in message else ""
        type = "idle_prompt" if "waiting for your input" in message else type
    return _NOTIFICATIONS.get(type, "")


def _notification(data: Raw) -> tuple[str, str]:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return "", ""
    if not isinstance(value, dict):
        return "", ""
    found = value.get("notification_type"), value.get("message")
    type, message = (text if isinstance(text, str) else "" for text in found)
    return type, message
