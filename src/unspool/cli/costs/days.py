"""Days as people say them, on the reader's clock or on another place's."""

import time
from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo

_DAY = 86_400_000


def zone(name: str) -> tzinfo:
    """A time zone by its name."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ArgumentTypeError(f"{name!r} is no time zone: say UTC or Asia/Tokyo") from None


def calendar(place: tzinfo | None) -> Callable[[int], int]:
    """Milliseconds -> the day it was there, counted from 1970; without a place, here.

    Asking for the time there is slow: where it is as far ahead at both ends of a UTC day, it is
    so all day.
    """
    known: dict[int, int | None] = {}

    def ahead(ms: int) -> int:
        if place is None:
            return time.localtime(ms / 1_000).tm_gmtoff * 1_000
        shift = datetime.fromtimestamp(ms / 1_000, place).utcoffset() or timedelta()
        return int(shift.total_seconds() * 1_000)

    def day(ms: int) -> int:
        utc = ms // _DAY
        if utc not in known:
            first, last = ahead(utc * _DAY), ahead(utc * _DAY + _DAY)
            known[utc] = first if first == last else None
        shift = known[utc]
        return (ms + (ahead(ms) if shift is None else shift)) // _DAY

    return day


def clock(place: tzinfo | None) -> Callable[[int], str]:
    """Milliseconds -> day and time of day there."""
    return lambda ms: f"{datetime.fromtimestamp(ms / 1_000).astimezone(place):%Y-%m-%d %H:%M}"


def begins(said: str, place: tzinfo | None) -> int:
    """The moment something is wanted from; a day begins at midnight there."""
    day = _day(said, place)
    return _moment(said, place) if day is None else _midnight(day, place)


def ends(said: str, place: tzinfo | None) -> int:
    """The moment something is wanted up to; a day is wanted to its end."""
    day = _day(said, place)
    if day is None:
        return _moment(said, place)
    return _midnight(day + timedelta(days=1), place)


def _moment(said: str, place: tzinfo | None) -> int:
    from unspool.cli.since import since

    return since(said, datetime.now(place))


def _day(said: str, place: tzinfo | None) -> date | None:
    """The day that is named, if it is one."""
    try:
        return date.fromisoformat(said.strip())
    except ValueError:
        if not said.strip().isalpha():
            return None
    return date(*time.localtime(_moment(said, place) / 1_000)[:3])


def _midnight(day: date, place: tzinfo | None) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=place).timestamp() * 1_000)
