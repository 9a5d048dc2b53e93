"""The pieces of one transcript line: blocks, usage, clock and envelope."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

_PLAIN = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_ESCAPED = json.JSONEncoder(separators=(",", ":"))

Fields = dict[str, Any]
Content = str | Sequence[Any]

ABSENT: Final[Any] = object()

NO_TOKENS: Final = {
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}
DEFAULT_USAGE: Final = {**NO_TOKENS, "input_tokens": 10, "output_tokens": 5}

STAMPED: Final = frozenset(
    {"queue-operation", "pr-link", "continued-in", "frame-link", "ended-by-model"}
)
NO_SESSION: Final = frozenset({"file-history-snapshot", "file-history-delta", "summary"})


class Clock:
    """A clock that moves one second per line read from it."""

    def __init__(self, start: str) -> None:
        self.next = moment(start)

    def tick(self) -> str:
        """Give the present moment and step one second on."""
        now, self.next = self.next, self.next + timedelta(seconds=1)
        return stamp(now)


def moment(iso: str) -> datetime:
    """Read an ISO time."""
    return datetime.fromisoformat(iso.replace("Z", "+00:00")).astimezone(UTC)


def stamp(at: datetime) -> str:
    """Write a time the way transcripts do, in milliseconds."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def text_block(text: str) -> Fields:
    """Make a text block."""
    return {"type": "text", "text": text}


def thinking_block(text: str) -> Fields:
    """Make a thinking block."""
    return {"type": "thinking", "thinking": text, "signature": "c2lnbmVk"}


def tool_block(name: str, call_input: Any, call_id: str | None = None) -> Fields:
    """Make a tool_use block; without an id the transcript numbers it."""
    block = {"type": "tool_use", "id": call_id, "name": name, "input": call_input}
    return without_absent(block if call_id else {**block, "id": ABSENT})


def result_block(call_id: str, content: Any, *, failed: bool = False) -> Fields:
    """Make a tool_result block."""
    block = {"tool_use_id": call_id, "type": "tool_result", "content": content}
    return {**block, "is_error": True} if failed else block


def usage_of(given: Any) -> Any:
    """Resolve a usage argument: None is the default, False leaves the key out."""
    if given is None:
        return dict(DEFAULT_USAGE)
    return ABSENT if given is False else given


def without_absent(fields: Mapping[str, Any]) -> Fields:
    """Drop every key whose value is ABSENT."""
    return {key: value for key, value in fields.items() if value is not ABSENT}


def encode(line: Mapping[str, Any]) -> bytes:
    """Write one line as compact JSON, lone surrogates kept as escapes."""
    try:
        return _PLAIN.encode(line).encode()
    except UnicodeEncodeError:
        return _ESCAPED.encode(line).encode()
