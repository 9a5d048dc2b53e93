"""Hook events as they come in, and times written as seconds after the start."""

import json
from typing import Any

from unspool.decode.hooks import hook_event
from unspool.derive.hooks import with_time
from unspool.derive.reading.clock import millis
from unspool.model.hooks import HookEvent

BEGAN = millis("2026-01-01T00:00:00.000Z") or 0


def at(seconds: float) -> int:
    """That many seconds after made transcripts begin, in milliseconds."""
    return BEGAN + int(seconds * 1000)


def hook(event: str, seconds: float, **data: Any) -> HookEvent:
    """An event as its hook was told it."""
    payload = {"session_id": "s1", "hook_event_name": event, **data}
    made = hook_event(json.dumps(payload).encode())
    assert made is not None
    return with_time(made, at(seconds))
