"""Answers of one file -> rows of the ledger, and sums of such rows by quarters of an hour."""

import struct
from typing import Final

from unspool.derive.reading.clock import millis
from unspool.ingest.scan.merge import Odd

QUARTER: Final = 900_000
_MOST: Final = (1 << 63) - 1
_rank: Final = struct.Struct(">QBBQQQQ")
_claim: Final = struct.Struct(">BBQB")

# A time is looked up in four parts; a history has few days, and a day has these.
_days: Final[dict[str, int]] = {}
_MINUTES: Final = {f"T{n // 60:02}:{n % 60:02}": n * 60_000 for n in range(24 * 60)}
_SECONDS: Final = {f":{n:02}.": n * 1000 for n in range(60)}
_MILLIS: Final = {f"{n:03}Z": n for n in range(1000)}


def moment(text: str) -> int:
    """A line's time as `clock.millis` reads it; Odd where it has none."""
    try:
        day = _days[text[:10]]
        return day + _MINUTES[text[10:16]] + _SECONDS[text[16:20]] + _MILLIS[text[20:]]
    except KeyError:
        at, day_at = millis(text), millis(f"{text[:10]}T00:00:00.000Z")
    if at is None or day_at is None:
        raise Odd
    _days[text[:10]] = day_at
    return at
