from typing import Any

import pytest
from msgspec import Raw
from msgspec.json import encode

from unspool.decode.hooks import snake_case
from unspool.engine.archive.redacted import TextCleaner, cleaner
from unspool.engine.export.events import hook_events
from unspool.model.hooks import HookEvent
from unspool.model.live import LiveEvent


def told(event: str, clean: TextCleaner | None = None, **said: Any) -> list[LiveEvent]:
    made = HookEvent(
        event=event,
        event_type=snake_case(event),
        session_id="s1",
        timestamp="2026-11-15T10:00:00.000Z",
        tool_name=said.get("tool_name", ""),
        data=Raw(encode(said)),
    )
    return list(hook_events([made], clean or cleaner(None)))


def test_a_request_for_permission_is_told_with_the_call() -> None:
    [one] = told("PermissionRequest", tool_name="Bash", tool_input={"command": "make tea"})

    assert (one.kind, one.name, one.text) == ("asks", "Bash", "make tea")


@pytest.mark.parametrize(
    ("event", "said", "kind", "text"),
    [
        ("SessionStart", {"source": "resume"}, "started", "resume"),
        ("SessionEnd", {"reason": "logout"}, "ended", "logout"),
        ("Notification", {"message": "Claude needs you"}, "hook", "Claude needs you"),
        ("SubagentStart", {"agent_type": "Explore"}, "hook", "Explore"),
        ("BrandNewEvent", {}, "hook", ""),
    ],
)
def test_other_events_are_told_by_what_they_say(
    event: str, said: dict[str, Any], kind: str, text: str
) -> None:
    [one] = told(event, **said)

    assert (one.kind, one.name, one.text) == (kind, event, text)


@pytest.mark.parametrize(
    "event", ["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop"]
)
def test_what_the_transcript_tells_is_not_told_twice(event: str) -> None:
    assert told(event, tool_name="Bash") == []


def test_an_event_of_no_session_is_nobodys() -> None:
    made = HookEvent(event="Notification", event_type="notification", data=Raw(b"{}"))

    assert list(hook_events([made], cleaner(None))) == []


def test_odd_data_is_survived() -> None:
    made = HookEvent(
        event="PermissionRequest", event_type="permission_request", session_id="s", data=Raw(b"[1]")
    )

    assert [one.text for one in hook_events([made], cleaner(None))] == [""]
