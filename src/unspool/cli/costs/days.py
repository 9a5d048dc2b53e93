"""Days as people say them, on the reader's clock or on another place's."""

import time
from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo
from typing import TypeAlias

_DAY, _QUARTER = 86_400_000, 900_000

Ahead: TypeAlias = Callable[[int], int]  # milliseconds -> by how many a clock is ahead of UTC then


def zone(name: str) -> tzinfo:
    """A time zone by its name."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ArgumentTypeError(f"{name!r} is no time zone: say UTC or Asia/Tokyo") from None


def ahead(place: tzinfo | None) -> Ahead:
    """The clock of a place; without one, of here."""
    if place is None:
        return lambda ms: time.localtime(ms / 1_000).tm_gmtoff * 1_000

    def shift(ms: int) -> int:
        found = datetime.fromtimestamp(ms / 1_000, place).utcoffset() or timedelta()
        return int(found.total_seconds() * 1_000)

    return shift


def changes(clock: Ahead, first: int, last: int) -> list[tuple[int, int]]:
    """How far ahead a clock is from which quarter of an hour on, between two moments."""
    found = [(first, clock(first))]
    for end in range(first + _DAY, last + _DAY, _DAY):
        if clock(end) != found[-1][1]:
            for at in range(end - _DAY + _QUARTER, end + 1, _QUARTER):
                if clock(at) != found[-1][1]:
                    found.append((at, clock(at)))
    return found


def calendar(place: tzinfo | None) -> Callable[[int], int]:
    """Milliseconds -> the day it was there, counted from 1970.

    Asking for the time there is slow: where it is as far ahead at both ends of a UTC day, it is
    so all day.
    """
    known: dict[int, int | None] = {}
    shift_at = ahead(place)

    def day(ms: int) -> int:
        utc = ms // _DAY
        if utc not in known:
            first, last = shift_at(utc * _DAY), shift_at(utc * _DAY + _DAY)
            known[utc] = first if first == last else None
        shift = known[utc]
        return (ms + (shift_at(ms) if shift is None else shift)) // _DAY

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
