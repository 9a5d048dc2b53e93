"""Dates and times as people write them, on this machine's clock or in another time zone.

Loads nothing heavy: `unspool cost` needs it.
"""

import re
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final, TypeAlias

from unspool.errors import NotFound, UsageError

_DAY: Final = 86_400_000
_QUARTER: Final = 900_000
_EPOCH: Final = date(1970, 1, 1).toordinal()
_SPAN: Final = re.compile(r"(\d{1,6})\s*(m|min|h|d|w)")
_UNITS: Final = {"m": "minutes", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

Offset: TypeAlias = Callable[[int], int]  # milliseconds -> how far a clock is ahead of UTC then


def time_zone(name: str) -> tzinfo | None:
    """A time zone by its name; None, this machine's own, where the name is empty."""
    if not name:
        return None
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - seldom needed

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise NotFound(f"Unknown time zone {name!r}. Use a name like Asia/Tokyo.") from None


def utc_offset(zone: tzinfo | None) -> Offset:
    """The clock of a time zone, or of this machine."""
    if zone is None:
        return lambda ms: time.localtime(ms / 1_000).tm_gmtoff * 1_000

    def offset(ms: int) -> int:
        ahead = datetime.fromtimestamp(ms / 1_000, zone).utcoffset() or timedelta()
        return int(ahead.total_seconds() * 1_000)

    return offset


def offset_changes(offset: Offset, first: int, last: int) -> list[tuple[int, int]]:
    """A clock's offsets between two moments, each with the quarter of an hour it holds from."""
    changes = [(first, offset(first))]
    for end in range(first + _DAY, last + _DAY, _DAY):
        if offset(end) != changes[-1][1]:
            for at in range(end - _DAY + _QUARTER, end + 1, _QUARTER):
                if offset(at) != changes[-1][1]:
                    changes.append((at, offset(at)))
    return changes


def steady_offset(zone: tzinfo | None) -> Offset:
    """The same as `utc_offset`, for many moments.

    Time zones are slow to ask: one that is as far ahead at both ends of a UTC day is so all day.
    """
    known: dict[int, int | None] = {}
    offset = utc_offset(zone)

    def ahead(ms: int) -> int:
        utc = ms // _DAY
        if utc not in known:
            first, last = offset(utc * _DAY), offset(utc * _DAY + _DAY)
            known[utc] = first if first == last else None
        found = known[utc]
        return offset(ms) if found is None else found

    return ahead


def day_numbers(zone: tzinfo | None) -> Callable[[int], int]:
    """Milliseconds -> the day in a time zone, counted from 1970."""
    ahead = steady_offset(zone)
    return lambda ms: (ms + ahead(ms)) // _DAY


def day_name(day: int) -> str:
    """The date of a day that is counted from 1970."""
    return date.fromordinal(_EPOCH + day).isoformat()


def has_whole_hours(zone: tzinfo | None) -> bool:
    """Whether a clock is whole hours ahead of UTC, in summer and winter of any year since 2000.

    No zone keeps a time for less than two months.
    """
    offset = utc_offset(zone)
    months = range(360 * 30, 360 * 68, 30)
    return all(offset(days * _DAY) % 3_600_000 == 0 for days in months)


def clock_name(zone: tzinfo | None) -> str:
    """Equal for clocks that have shown the same at the beginning of each week since 2000."""
    from hashlib import blake2b  # noqa: PLC0415 - `unspool cost` does without

    offset = utc_offset(zone)
    weeks = [offset(days * _DAY) for days in range(360 * 30, 360 * 68, 7)]
    return blake2b(repr(weeks).encode(), digest_size=8).hexdigest()


def local_times(zone: tzinfo | None) -> Callable[[int], str]:
    """Milliseconds -> date and time of day in a time zone."""
    return lambda ms: f"{datetime.fromtimestamp(ms / 1_000, UTC).astimezone(zone):%Y-%m-%d %H:%M}"


def midnight(day: date, zone: tzinfo | None = None, days: int = 0) -> int:
    """When a day begins in a time zone, or the day that many days later."""
    try:
        at = datetime(day.year, day.month, day.day, tzinfo=zone) + timedelta(days=days)
        return int(at.timestamp() * 1_000)
    except (OverflowError, ValueError):
        return (day.toordinal() - _EPOCH + days) * _DAY


def midnight_of(day: int) -> int:
    """When a day of this machine's clock begins, counted from 1970."""
    try:
        return midnight(date.fromordinal(day + _EPOCH))
    except (OverflowError, ValueError):
        return day * _DAY


def start_of_today(now: int) -> int:
    """When today began on this machine's clock."""
    today = time.localtime(now / 1_000)
    return round(time.mktime((*today[:3], 0, 0, 0, 0, 0, -1)) * 1_000)


def local_clock(at: int, now: int) -> str:
    """A moment to come on this machine's clock: `15:00`, or `Mon 9 Nov 15:00` on another day."""
    there, today = time.localtime(at / 1_000), time.localtime(now / 1_000)
    day = "" if there[:3] == today[:3] else time.strftime(f"%a {there.tm_mday} %b ", there)
    return day + time.strftime("%H:%M", there)


def start_time(text: str, now: int, zone: tzinfo | None = None) -> int:
    """The moment a range starts at: a day starts at its midnight. UsageError if it is no time."""
    at = _parsed(text, now, zone)
    return at if isinstance(at, int) else midnight(at, zone)


def end_time(text: str, now: int, zone: tzinfo | None = None) -> int:
    """The moment a range ends before: a day is included to its end."""
    at = _parsed(text, now, zone)
    return at if isinstance(at, int) else midnight(at, zone, days=1)


def _parsed(text: str, now: int, zone: tzinfo | None) -> date | int:
    word = text.strip().lower()
    today = datetime.fromtimestamp(now / 1_000, UTC).astimezone(zone)
    try:
        if span := _SPAN.fullmatch(word):
            return _millis(today - timedelta(**{_UNITS[span[2]]: int(span[1])}))
        return _day(word, today.date()) or _moment(word, zone)
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{text!r} is not a time. Use 2026-01-31, 7d, 24h, today, yesterday or a weekday."
        ) from None


def _day(word: str, today: date) -> date | None:
    if word in ("today", "yesterday"):
        return today - timedelta(days=word == "yesterday")
    if len(word) >= 3 and (days := [day for day in _WEEKDAYS if day.startswith(word)]):
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(days[0])) % 7)
    try:
        return date.fromisoformat(word)
    except ValueError:
        return None


def _moment(word: str, zone: tzinfo | None) -> int:
    moment = datetime.fromisoformat(word)
    return _millis(moment if moment.tzinfo else moment.replace(tzinfo=zone))


def _millis(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)
