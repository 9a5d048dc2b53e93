"""Days on this machine's clock, or on another place's."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from unspool.errors import NotFound

_EPOCH: Final = date(1970, 1, 1).toordinal()
_DAY: Final = 86_400_000


def calendar(place: tzinfo | None) -> Callable[[int], int]:
    """Milliseconds -> the day it was there, counted from 1970."""
    return lambda ms: datetime.fromtimestamp(ms / 1_000, UTC).astimezone(place).toordinal() - _EPOCH


def midnight(day: date, place: tzinfo | None = None, days: int = 0) -> int:
    """When a day began there, or one so many days later."""
    try:
        at = datetime(day.year, day.month, day.day, tzinfo=place) + timedelta(days=days)
        return int(at.timestamp() * 1_000)
    except (OverflowError, ValueError):
        return (day.toordinal() - _EPOCH + days) * _DAY


def zone(name: str) -> tzinfo | None:
    """A time zone by its name; without one, this machine's own."""
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise NotFound("There is no such time zone: say UTC or Asia/Tokyo.") from None
