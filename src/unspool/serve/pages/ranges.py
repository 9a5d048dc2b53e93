"""The time a page looks at: today, some days, or all there ever was."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from unspool.engine import dates
from unspool.serve.problems import BadRequest

_EVER: Final = 2**62
_DAYS: Final = re.compile("[0-9]{1,4}")


class Range(NamedTuple):
    """From a day on, or from the beginning; in milliseconds up to, but without, `until`."""

    first: date | None
    since: int
    until: int


def read(name: str, now: int) -> Range:
    """`today`, `all`, or a number of days that ends with today."""
    if name == "all":
        return Range(None, 0, _EVER)
    count = 1 if name == "today" else int(name) if _DAYS.fullmatch(name) else 0
    if not count:
        raise BadRequest("A range is today, all, or a number of days.")
    today = datetime.fromtimestamp(now / 1_000, UTC).astimezone().date()
    first = today - timedelta(days=count - 1)
    return Range(first, dates.midnight(first), dates.midnight(today, days=1))


def day(text: str) -> date | None:
    """A day as it is written in an address; none where nothing is."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise BadRequest("A day is written as 2026-11-09.") from None
