"""Usage limits as Claude Code states them -> which still hold, and until when one stops a session.

It loads no model: a status line asks it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unspool.model.usage import Quota, QuotaPace, QuotaRow, QuotaWindow

_HOUR: Final = 3_600_000
LENGTHS: Final = {"5h": 5 * _HOUR, "7d": 7 * 24 * _HOUR}  # milliseconds
_FULL: Final = 100
# Claude Code may say what is used only after the request that was refused.
_SOON: Final = 600_000
_LIMIT: Final = re.compile(r"(?:\bhit your |^)(?P<which>(?:[\w-]+ ){0,3})limit\b")
_SPANS: Final = {
    **dict.fromkeys(("", "usage", "claude usage", "claude ai usage"), ("5h", "7d")),
    **dict.fromkeys(("5-hour", "session"), ("5h",)),
    **dict.fromkeys(("weekly", "7-day"), ("7d",)),
}


def paces(quota: Quota | None, now: int) -> list[QuotaPace]:
    """The windows that are known now: once one is reset, nobody knows what is used of the next."""
    if quota is None:
        return []
    return [
        QuotaPace(name, one.used, _elapsed(name, one, now), one.resets_at, quota.at)
        for name, one in _windows(quota)
        if one.resets_at > now
    ]


def _windows(quota: Quota) -> Iterator[tuple[str, QuotaWindow]]:
    windows = zip(LENGTHS, (quota.five_hour, quota.seven_day), strict=True)
    return ((name, one) for name, one in windows if one)


def _elapsed(name: str, window: QuotaWindow, now: int) -> float:
    left = (window.resets_at - now) / LENGTHS[name]
    return max(0.0, 1 - left) * 100


def limit_reset(sentence: str, at: int, snapshots: Sequence[Quota]) -> int | None:
    """When a limit that stopped a session then is reset; None if no snapshot shows it as used up.

    The sentence says which limit it was. One of a single model has no window of its own.
    """
    found = _LIMIT.search(sentence)
    spans = _SPANS.get(found["which"].strip().lower(), ()) if found else ()
    resets = (_used_up_until(span, at, snapshots) for span in spans)
    return max(filter(None, resets), default=None)


def _used_up_until(span: str, at: int, snapshots: Sequence[Quota]) -> int | None:
    """What the last snapshot before says; if that was too early to know, the next ones."""
    known = [
        (one.at, window) for one in snapshots for name, window in _windows(one) if name == span
    ]
    begin = bisect_right(known, at, key=_time)
    end = bisect_right(known, at + _SOON, key=_time)
    for _, window in known[max(0, begin - 1) : end]:
        is_current = window.resets_at - LENGTHS[span] <= at < window.resets_at
        if is_current and window.used >= _FULL:
            return window.resets_at
    return None


def _time(known: tuple[int, QuotaWindow]) -> int:
    return known[0]


def quota_rows(snapshots: Iterable[tuple[Quota, str]]) -> Iterator[QuotaRow]:
    """Snapshots, each with the session that it came from -> what changed of each window."""
    last: dict[str, QuotaWindow] = {}
    for quota, session_id in snapshots:
        for span, window in _windows(quota):
            if last.get(span) != window:
                last[span] = window
                yield QuotaRow(quota.at, span, window.used, window.resets_at, session_id)
