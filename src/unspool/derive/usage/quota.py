"""Usage limits as Claude Code states them -> which still hold, and whether use is ahead of time."""

from typing import Final

from unspool.model.usage import Quota, QuotaPace, QuotaWindow

_HOUR: Final = 3_600_000
LENGTHS: Final = {"5h": 5 * _HOUR, "7d": 7 * 24 * _HOUR}  # milliseconds


def paces(quota: Quota | None, now: int) -> list[QuotaPace]:
    """The windows that are known now: once one is reset, nobody knows what is used of the next."""
    if quota is None:
        return []
    windows = zip(LENGTHS, (quota.five_hour, quota.seven_day), strict=True)
    return [
        QuotaPace(name, one.used, _elapsed(name, one, now), one.resets_at, quota.at)
        for name, one in windows
        if one and one.resets_at > now
    ]


def _elapsed(name: str, window: QuotaWindow, now: int) -> float:
    left = (window.resets_at - now) / LENGTHS[name]
    return max(0.0, 1 - left) * 100
