"""Timestamps and durations -> text: relative within a day, a date beyond it."""

from datetime import UTC, datetime, tzinfo
from typing import Final

_SECOND: Final = 1_000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


def moment(iso: str | None, zone: tzinfo | None = None) -> datetime | None:
    """A document's time on the reader's clock; without a zone, this machine's."""
    if not iso:
        return None
    try:
        return datetime.fromisoformat(iso).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None


def clock(iso: str | None, zone: tzinfo | None = None) -> str:
    """The time of day, or nothing."""
    at = moment(iso, zone)
    return f"{at:%H:%M}" if at else ""


def clock_at(at: int, zone: tzinfo | None = None) -> str:
    """The time of day of a moment, to the second."""
    return f"{local_time(at, zone):%H:%M:%S}"


def clock_second(iso: str | None, zone: tzinfo | None = None) -> str:
    """The time of day to the second, or nothing."""
    at = moment(iso, zone)
    return f"{at:%H:%M:%S}" if at else ""


def date(iso: str | None, now: int, zone: tzinfo | None = None) -> str:
    """The day: `Tue 12 Nov`, with its year when that is another one than now."""
    at = moment(iso, zone)
    return _day(at, local_time(now, zone)) if at else ""


def day_name(at: str) -> str:
    """`2026-11-09` is 9 Nov, `2026-11` is Nov 2026."""
    year, _, rest = at.partition("-")
    month, _, number = rest.partition("-")
    names = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    if not (month.isdecimal() and 1 <= int(month) <= 12):
        return year or "?"
    name = names[int(month) - 1]
    return f"{int(number)} {name}" if number.isdecimal() else f"{name} {year}"


def when(at: int, now: int, zone: tzinfo | None = None) -> str:
    """A moment near now: `14:20`, or `Fri 17 Jul 14:20` on another day."""
    here, today = local_time(at, zone), local_time(now, zone)
    return f"{here:%H:%M}" if here.date() == today.date() else f"{_day(here, today)} {here:%H:%M}"


def coming(iso: str | None, now: int, zone: tzinfo | None = None) -> str:
    """A moment to come: `14:20` today, `Mon 14:20` within a week, then the date."""
    at = moment(iso, zone)
    if at is None:
        return ""
    today = local_time(now, zone)
    if at.date() == today.date():
        return f"{at:%H:%M}"
    left = int(at.timestamp() * 1_000) - now
    return f"{at:%a %H:%M}" if 0 <= left < 6 * _DAY else _day(at, today)


def between(start: str | None, end: str | None, zone: tzinfo | None = None) -> str:
    """From when to when: one time where both are the same minute."""
    first, last = clock(start, zone), clock(end, zone)
    return f"{first} – {last}" if first and last and first != last else first or last


def lasting(start: str | None, end: str | None, now: int, zone: tzinfo | None = None) -> str:
    """From which day and time to when; an end on another day says which."""
    first, last = date(start, now, zone), date(end, now, zone)
    if first and last and first != last:
        return f"{first} {clock(start, zone)} – {last} {clock(end, zone)}"
    return f"{first or last} {between(start, end, zone)}".strip()


def ago(iso: str | None, now: int, zone: tzinfo | None = None) -> str:
    """How long since: `4 min ago` within a day, `Mon 14:02` within a week, then the date."""
    at = moment(iso, zone)
    if at is None:
        return ""
    past = now - int(at.timestamp() * 1_000)
    if past < 0:
        return _day(at, local_time(now, zone)) if -past > _DAY else "now"
    if past < _DAY:
        return "now" if past < _MINUTE else f"{_coarse(past)} ago"
    if past < 6 * _DAY:
        return f"{at:%a %H:%M}"
    return _day(at, local_time(now, zone))


def duration(milliseconds: int | None) -> str:
    """How long: 0.6 s, 41 s, 12 min, 1 h 12 min, 3 d 4 h."""
    if milliseconds is None or milliseconds < 0:
        return ""
    seconds = milliseconds / _SECOND
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def _coarse(past: int) -> str:
    return f"{past // _MINUTE} min" if past < _HOUR else f"{past // _HOUR} h"


def _day(at: datetime, now: datetime) -> str:
    return f"{at:%a} {at.day} {at:%b}" if at.year == now.year else f"{at.day} {at:%b %Y}"


def local_time(now: int, zone: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(now / 1_000, UTC).astimezone(zone)
