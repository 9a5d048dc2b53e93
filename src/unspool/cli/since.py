"""`--since` as people say it -> a moment: 2026-01-31, 7d, 24h, yesterday, monday."""

import re
from datetime import date, datetime, timedelta
from typing import Final

_SPAN: Final = re.compile(r"(\d{1,6})\s*(m|min|h|d|w)")
_UNITS: Final = {"m": "minutes", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def since(said: str, now: datetime) -> int:
    """Milliseconds since 1970; ValueError where nobody could say what is meant."""
    word = said.strip().lower()
    try:
        return int(_moment(word, now).timestamp() * 1_000)
    except (ValueError, OverflowError, OSError):
        known = "2026-01-31, 7d, 24h, today, yesterday or a weekday"
        raise ValueError(f"{said!r} is no time we know: say {known}") from None


def _moment(word: str, now: datetime) -> datetime:
    if found := _SPAN.fullmatch(word):
        return now - timedelta(**{_UNITS[found[2]]: int(found[1])})
    if word == "today":
        return _midnight(now.date())
    if word == "yesterday":
        return _midnight(now.date() - timedelta(days=1))
    if len(word) >= 3 and (days := [day for day in _WEEKDAYS if day.startswith(word)]):
        back = (now.weekday() - _WEEKDAYS.index(days[0])) % 7
        return _midnight(now.date() - timedelta(days=back))
    moment = datetime.fromisoformat(word)
    return moment if moment.tzinfo else moment.astimezone()


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day).astimezone()
