"""Timestamps as written <-> milliseconds since 1970."""

from datetime import UTC, datetime
from typing import Final

# Outside these a clock was wrong or a field was a placeholder ("0000-00-00T00:00:00Z" occurs).
EARLIEST: Final = 1_577_836_800_000  # 2020-01-01
LATEST: Final = 4_102_444_800_000  # 2100-01-01

# A time in the usual form is read by four tables; one parse for each day fills the first.
_days: Final[dict[str, int]] = {}
_DAY: Final = 86_400_000
_MINUTES: Final = {f"T{n // 60:02}:{n % 60:02}": n * 60_000 for n in range(24 * 60)}
_SECONDS: Final = {f":{n:02}.": n * 1000 for n in range(60)}
_MILLIS: Final = {f"{n:03}Z": n for n in range(1000)}
_written: Final[dict[int, str]] = {}  # the other way round: lines come in bursts
_MOST_KEPT: Final = 4096  # of days, and of minutes


def millis(text: str | None) -> int | None:
    """Read an ISO 8601 time; None where it is missing, malformed or absurd."""
    if not text:
        return None
    try:
        return _days[text[:10]] + _MINUTES[text[10:16]] + _SECONDS[text[16:20]] + _MILLIS[text[20:]]
    except KeyError:
        return _parse(text)


def iso(ms: int | None) -> str | None:
    """Write a time the way the contract has it: milliseconds and Z."""
    if ms is None:
        return None
    minute, rest = divmod(ms, 60_000)
    begun = _written.get(minute)
    if begun is None:
        begun = datetime.fromtimestamp(minute * 60, UTC).isoformat()[:17]
        if len(_written) >= _MOST_KEPT:
            _written.clear()
        _written[minute] = begun
    second, part = divmod(rest, 1000)
    return f"{begun}{second:02}.{part:03}Z"


def _parse(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    ms = int(moment.timestamp()) * 1000 + moment.microsecond // 1000
    if not EARLIEST <= ms < LATEST:
        return None
    # Only a time in the usual form tells how the others of its day are written.
    if text == iso(ms):
        _remember(text, ms)
    return ms


def _remember(text: str, ms: int) -> None:
    if len(_days) >= _MOST_KEPT:
        _days.clear()
    _days[text[:10]] = ms - ms % _DAY


def moment(ms: float | None) -> int | None:
    """A number of milliseconds, if it can be a time."""
    return int(ms) if ms is not None and EARLIEST <= ms < LATEST else None
