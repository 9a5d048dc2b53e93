"""Hook payloads, event logs and posted events -> one form."""

import re
from typing import Final

from msgspec import Raw, Struct, field
from msgspec.structs import replace

from unspool.decode.lenient import build, members, valid_json
from unspool.model.hooks import HookEvent, HookLogEntry, PostedEvent

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class _Facts(Struct, frozen=True):
    """The fields of any payload that `HookEvent` has."""

    hook_event_name: str = ""
    session_id: str = ""
    timestamp: str = ""
    uuid: str = ""
    tool_use_id: str = ""
    tool_name: str = ""
    agent_id: str = ""
    agent: str = field(default="", name="agentId")
    prompt_id: str = ""
    decision: str = ""
    duration_ms: float | None = None


def snake_case(name: str) -> str:
    """Turn PreToolUse into pre_tool_use."""
    return _HUMP.sub("_", name).replace("-", "_").lower()


def hook_event(line: bytes) -> HookEvent | None:
    """Decode an event in any of its three forms; a plain payload has no time."""
    data = valid_json(line.strip()) or b""
    found = members(data)
    if "hook_event_name" in found:
        return _complete(HookEvent(event="", data=Raw(data), source="stdin"))
    if "eventType" in found:
        return _complete(_from_log(build(HookLogEntry, found)))
    return _complete(_from_post(build(PostedEvent, found))) if "type" in found else None


def _from_log(entry: HookLogEntry) -> HookEvent:
    return HookEvent(
        event=entry.event_type or "",
        session_id=entry.session_id or "",
        timestamp=entry.timestamp or "",
        tool_use_id=entry.tool_use_id or "",
        tool_name=entry.tool_name or "",
        decision=entry.decision or "",
        handler_results=entry.handler_results,
        data=entry.input,
        source="log",
    )


def _from_post(entry: PostedEvent) -> HookEvent:
    return HookEvent(
        event=entry.type or "",
        session_id=entry.session_id or "",
        timestamp=entry.timestamp or "",
        uuid=entry.uuid or "",
        data=entry.data,
        source="post",
    )


def _complete(event: HookEvent) -> HookEvent | None:
    facts = build(_Facts, members(event.data))
    name = facts.hook_event_name or event.event
    if not name:
        return None
    return replace(
        event,
        event=name,
        event_type=snake_case(name),
        session_id=event.session_id or facts.session_id,
        timestamp=event.timestamp or facts.timestamp,
        uuid=event.uuid or facts.uuid,
        tool_use_id=event.tool_use_id or facts.tool_use_id,
        tool_name=event.tool_name or facts.tool_name,
        agent_id=facts.agent_id or facts.agent,
        prompt_id=facts.prompt_id,
        decision=event.decision or facts.decision,
        duration_ms=facts.duration_ms,
    )
