"""A status line's input, and lines with usage -> plain tuples, with a decoder that loads fast.

Only the common form of a line is read: the index reads the rest, and its figures take precedence.
"""

import json
from typing import Any

from unspool.json_depth import shallow
from unspool.model.usage import LineUsage, Quota, QuotaWindow, StatuslineInput, Tokens

_MOST = 10**9  # tokens of one response, as everywhere
_SYNTHETIC = "<synthetic>"


def statusline_input(data: bytes) -> StatuslineInput | None:
    """Decode Claude Code's input; None if it is not an object."""
    found = json_object(data)
    if found is None:
        return None
    model, cost = _dict(found.get("model")), _dict(found.get("cost"))
    context, percent = _context(_dict(found.get("context_window")))
    five_hour, seven_day = quota_windows(_dict(found.get("rate_limits")))
    return StatuslineInput(
        session_id=_text(found.get("session_id")),
        transcript=_text(found.get("transcript_path")),
        model=_text(model.get("display_name")) or _text(model.get("id")),
        usd=_number(cost.get("total_cost_usd")),
        context=context,
        percent=percent,
        five_hour=five_hour,
        seven_day=seven_day,
    )


def quota_windows(limits: dict[str, Any]) -> tuple[QuotaWindow | None, QuotaWindow | None]:
    """The five-hour and the seven-day limit; None is one that Claude Code did not name."""
    return _window(limits.get("five_hour")), _window(limits.get("seven_day"))


def decode_quota(line: bytes) -> tuple[Quota, str] | None:
    """A line of the log of usage limits, with the session it came from; None if it is damaged."""
    found = json_object(line) or {}
    at = found.get("at")
    if not isinstance(at, int):
        return None
    return Quota(at, *quota_windows(found)), _text(found.get("session_id"))


def encode_quota(quota: Quota, session_id: str = "") -> bytes:
    """The same as a line, in Claude Code's own words."""
    named = {"session_id": session_id} if session_id else {}
    windows = {"five_hour": quota.five_hour, "seven_day": quota.seven_day}
    limits = {
        name: {"used_percentage": one.used, "resets_at": one.resets_at // 1_000}
        for name, one in windows.items()
        if one
    }
    return json.dumps({"at": quota.at, **limits, **named}).encode() + b"\n"


def line_usage(line: bytes) -> LineUsage | None:
    """What one line says was used; None where it says nothing, or not in the common form."""
    found = json_object(line)
    if found is None or found.get("type") != "assistant":
        return None
    message = _dict(found.get("message"))
    usage, model, id = _dict(message.get("usage")), _text(message.get("model")), message.get("id")
    tokens = _tokens(usage)
    if not usage or model == _SYNTHETIC or not isinstance(id, str) or not id or tokens is None:
        return None
    return LineUsage(
        id,
        _text(found.get("timestamp")),
        model,
        tokens,
        is_finished=bool(message.get("stop_reason")),
        is_sidechain=found.get("isSidechain") is True,
        is_fork=isinstance(found.get("forkedFrom"), dict),
        session_id=_text(found.get("sessionId")),
    )


def _window(value: Any) -> QuotaWindow | None:
    found = _dict(value)
    used, resets_at = _number(found.get("used_percentage")), _number(found.get("resets_at"))
    return None if used is None or resets_at is None else QuotaWindow(used, int(resets_at) * 1_000)


def _tokens(usage: dict[str, Any]) -> Tokens | None:
    split, server = _dict(usage.get("cache_creation")), _dict(usage.get("server_tool_use"))
    said = [
        usage.get("input_tokens"),
        usage.get("output_tokens"),
        usage.get("cache_read_input_tokens"),
        usage.get("cache_creation_input_tokens"),
        split.get("ephemeral_5m_input_tokens"),
        split.get("ephemeral_1h_input_tokens"),
        server.get("web_search_requests"),
    ]
    counts = [0 if count is None else count for count in said]
    if not all(type(count) is int and 0 <= count <= _MOST for count in counts):
        return None
    asked, answered, read, write, write_5m, write_1h, searches = counts
    speed, geo = _text(usage.get("speed")), _text(usage.get("inference_geo"))
    write = max(write, write_5m + write_1h)
    return Tokens(asked, answered, read, write, write_5m, write_1h, searches, speed, geo)


def _context(window: dict[str, Any]) -> tuple[int | None, float | None]:
    usage, size = _dict(window.get("current_usage")), _number(window.get("context_window_size"))
    tokens, percent = _number(window.get("total_input_tokens")), window.get("used_percentage")
    if usage:
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        tokens = sum(_number(usage.get(name)) or 0 for name in names)
    share = _number(percent)
    if share is None and tokens is not None and size:
        share = tokens * 100 / size
    return None if tokens is None else int(tokens), share


def json_object(data: bytes) -> dict[str, Any] | None:
    """A line as an object; None if it is none."""
    try:
        found = json.loads(shallow(data))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    """A number a person could mean: neither negative, nor endless, nor none at all."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= 10**12 else None
