"""Calls and responses for tests, a second apart."""

from typing import Any

from unspool.model.insights import CallFact, ResponseFact

PICO = 10**12


def call(name: str = "Bash", start: int = 0, state: str = "ok", **more: Any) -> CallFact:
    known: dict[str, Any] = {
        "session": 1,
        "agent": "",
        "duration_ms": 1_000,
        "project_id": "p",
        "session_id": "s",
        "tool_use_id": f"{name}-{start}",
        **more,
    }
    return CallFact(name=name, start=start, state=state, **known)


def response(at: int = 0, usd: float = 1.0, **more: Any) -> ResponseFact:
    known: dict[str, Any] = {
        "session": 1,
        "agent": "",
        "model": "claude-opus-4-6",
        "input_tokens": 10,
        "output_tokens": 100,
        "cache_read": 0,
        "write_5m": 0,
        "write_1h": 0,
        "cache_write": 0,
        "web_searches": 0,
        "speed": "",
        "geo": "",
        "pico": int(usd * PICO),
        "project_id": "p",
        "session_id": "s",
        **more,
    }
    return ResponseFact(at=at, **known)
