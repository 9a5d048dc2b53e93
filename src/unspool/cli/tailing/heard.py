"""Hook events -> what happened beside the transcript: requests, notifications, beginnings, ends."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from unspool.cli.topping.clean import Clean
from unspool.derive.reading.clock import iso, millis
from unspool.model.happening import Happening, Kind
from unspool.model.hooks import HookEvent
from unspool.show.tools import registry, values

_KINDS: Final[dict[str, Kind]] = {
    "permission_request": "asks",
    "session_start": "started",
    "session_end": "ended",
}
# The transcript tells of these by itself.
_COPIES: Final = frozenset(
    "pre_tool_use post_tool_use post_tool_use_failure post_tool_batch user_prompt_submit "
    "user_prompt_expansion message_display stop subagent_stop".split()
)


def heard(events: Iterable[HookEvent], clean: Clean) -> Iterator[Happening]:
    """One for each event that no line of a transcript stands for."""
    for event in events:
        if event.session_id and event.event_type not in _COPIES:
            yield _made(event, values.fields(clean.value(values.read(event.data))))


def _made(event: HookEvent, said: values.Fields) -> Happening:
    kind = _KINDS.get(event.event_type, "hook")
    return Happening(
        at=iso(millis(event.timestamp)),
        session_id=event.session_id,
        agent_id=event.agent_id,
        kind=kind,
        name=event.tool_name or event.event,
        text=_text(kind, event, said),
        tool_use_id=event.tool_use_id,
    )


def _text(kind: Kind, event: HookEvent, said: values.Fields) -> str:
    if kind == "asks":
        given: Any = said.get("tool_input")
        return registry.summary(event.tool_name, values.fields(given), None)
    return values.text(said, "message", "reason", "source", "error", "agent_type", "trigger")
