"""Session, day and block costs -> one line for Claude Code's status bar, or JSON."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from unspool.model.usage import ApiError, QuotaPace, Spend, StatuslineInput, StatuslineTotals
from unspool.show import safe
from unspool.show.cost_json import iso, quota_document
from unspool.show.numbers import format_usd
from unspool.show.times import coming

_DIFFERS: Final = 0.10
_LONGEST_MODEL: Final = 40
_LONGEST_STOP: Final = 80
# Tokens a minute without the cache: up to the first it is calm, from the second on it is much.
_CALM, _MUCH = 2_000, 5_000
_FULL: Final = 100
_GREEN, _YELLOW, _RED = "32", "33", "31"
_PACES: Final = (("🟢", "normal", _GREEN), ("⚠️", "moderate", _YELLOW), ("🚨", "high", _RED))


class StatuslineStyle(NamedTuple):
    """What the user wants to see, and how."""

    source: str = "auto"  # auto, unspool, cc, both
    burn: str = "off"  # off, emoji, text, emoji-text
    low: float = 50
    medium: float = 80
    colour: bool = False


def status_line(
    input: StatuslineInput,
    standing: StatuslineTotals,
    style: StatuslineStyle,
    limits: Sequence[QuotaPace] = (),
    stopped: str = "",
) -> str:
    """Model, what stopped the session, costs, burn rate, limits, context; unknown is left out."""
    costs = (_session(input, standing, style), _today(standing), _block(standing))
    parts = (
        safe.brief(input.model, _LONGEST_MODEL),
        _coloured(stopped, _RED, style) if stopped else "",
        " / ".join(cost for cost in costs if cost),
        _pace(standing, style),
        " / ".join(_limit(limit, style) for limit in limits),
        _context(input, style),
    )
    return " | ".join(part for part in parts if part) or "unspool: no data yet"


def stop_text(stop: ApiError, now: int) -> str:
    """The limit with its reset, or what Claude Code wrote."""
    if stop.state == "limited" and stop.until is not None:
        return f"usage limit, resets {coming(iso(stop.until), now)}"
    return safe.brief(stop.text, _LONGEST_STOP) or "stopped by an error"


def status_document(
    input: StatuslineInput,
    standing: StatuslineTotals,
    limits: Sequence[QuotaPace] = (),
    stop: ApiError | None = None,
) -> dict[str, Any]:
    """The same for programs."""
    block = standing.block
    return {
        "sessionId": input.session_id,
        "model": input.model,
        "status": stop
        and {"state": stop.state, "until": stop.until and iso(stop.until), "error": stop.text},
        "session": {
            "costUsd": _usd(standing.session),
            "atLeast": _is_at_least(standing.session, standing.is_session_whole),
            "claudeCodeCostUsd": input.usd,
            "differs": differs(input, standing),
        },
        "today": {
            "costUsd": _usd(standing.today),
            "atLeast": _is_at_least(standing.today, standing.is_whole),
        },
        "block": block
        and {
            "costUsd": _usd(block.spend),
            "atLeast": _is_at_least(block.spend, standing.is_whole),
            "minutesLeft": standing.minutes_left,
        },
        "usdPerHour": standing.usd_per_hour,
        "tokensPerMinute": standing.tokens_per_minute,
        "quota": quota_document(limits),
        "context": {"tokens": input.context, "percent": input.percent},
    }


def differs(input: StatuslineInput, standing: StatuslineTotals) -> bool:
    """Whether Claude Code's own figure is more than a tenth away from ours."""
    ours, theirs = standing.session.usd, input.usd
    if ours is None or theirs is None or not standing.session.responses:
        return False
    return abs(ours - theirs) > _DIFFERS * max(ours, theirs)


def _session(input: StatuslineInput, standing: StatuslineTotals, style: StatuslineStyle) -> str:
    spend = standing.session
    is_ours = bool(spend.responses) and style.source != "cc"
    theirs = "" if input.usd is None else format_usd(input.usd)
    if not is_ours:
        return f"{theirs} session" if theirs and style.source != "unspool" else ""
    ours = _money(spend, standing.is_session_whole)
    is_told = style.source == "both" or (style.source == "auto" and differs(input, standing))
    beside = f" (Claude Code says {theirs})" if is_told and theirs else ""
    return f"{ours} session{beside}"


def _today(standing: StatuslineTotals) -> str:
    return f"{_money(standing.today, standing.is_whole)} today" if standing.today.responses else ""


def _block(standing: StatuslineTotals) -> str:
    if standing.block is None:
        return ""
    left = _duration(standing.minutes_left)
    return f"{_money(standing.block.spend, standing.is_whole)} block ({left} left)"


def _pace(standing: StatuslineTotals, style: StatuslineStyle) -> str:
    if standing.usd_per_hour is None:
        return ""
    speed = standing.tokens_per_minute
    emoji, word, colour = _PACES[(speed >= _CALM) + (speed >= _MUCH)]
    marks = {"emoji": f" {emoji}", "text": f" ({word})", "emoji-text": f" {emoji} ({word})"}
    return _coloured(f"{format_usd(standing.usd_per_hour)}/h", colour, style) + marks.get(
        style.burn, ""
    )


def _limit(limit: QuotaPace, style: StatuslineStyle) -> str:
    """`5h 23%`; ahead of time it has an arrow and says how long it has to last."""
    level = 2 if limit.used >= _FULL else int(limit.is_ahead)
    share = _coloured(f"{limit.used:.0f}%", (_GREEN, _YELLOW, _RED)[level], style)
    left = _duration((limit.resets_at - limit.at) // 60_000)
    return f"{limit.window} {share}{f' ↑ ({left} left)' if limit.is_ahead else ''}"


def _duration(minutes: int) -> str:
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24}d {hours % 24}h"
    return f"{hours}h {minutes}m" if hours else f"{minutes}m"


def _context(input: StatuslineInput, style: StatuslineStyle) -> str:
    if input.context is None and input.percent is None:
        return ""
    tokens = "" if input.context is None else f"{input.context:,}"
    if input.percent is None:
        return f"{tokens} context"
    level = (input.percent >= style.low) + (input.percent >= style.medium)
    share = _coloured(f"{input.percent:.0f}%", (_GREEN, _YELLOW, _RED)[level], style)
    return f"{tokens} ({share}) context" if tokens else f"{share} context"


def _money(spend: Spend, is_whole: bool) -> str:
    return format_usd(spend.usd, at_least=_is_at_least(spend, is_whole))


def _is_at_least(spend: Spend, is_whole: bool) -> bool:
    return not is_whole or spend.is_least


def _usd(spend: Spend) -> float | None:
    return spend.usd if spend.responses else None


def _coloured(text: str, colour: str, style: StatuslineStyle) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if style.colour else text
