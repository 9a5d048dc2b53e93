"""Timestamps as written <-> milliseconds since 1970."""

from datetime import UTC, datetime

# Outside these a clock was wrong or a field was a placeholder ("0000-00-00T00:00:00Z" occurs).
EARLIEST = 1_577_836_800_000  # 2020-01-01
LATEST = 4_102_444_800_000  # 2100-01-01

_minutes: dict[str, int] = {}
_MOST_MINUTES = 4096


def millis(text: str | None) -> int | None:
    """Read an ISO 8601 time; None where it is missing, malformed or absurd."""
    if not text:
        return None
    if len(text) == 24 and text[23] == "Z":
        base = _minutes.get(text[:16])
        if base is not None and text[17:19].isdigit() and text[20:23].isdigit():
            return base + int(text[17:19]) * 1000 + int(text[20:23])
    return _parse(text)


def iso(ms: int | None) -> str | None:
    """Write a time the way the contract has it: milliseconds and Z."""
    if ms is None:
        return None
    whole, part = divmod(ms, 1000)
    return f"{datetime.fromtimestamp(whole, UTC):%Y-%m-%dT%H:%M:%S}.{part:03d}Z"


def _parse(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        ms = int(moment.timestamp()) * 1000 + moment.microsecond // 1000
    except (OverflowError, ValueError):
        return None
    if not EARLIEST <= ms < LATEST:
        return None
    _remember(text, ms)
    return ms


def _remember(text: str, ms: int) -> None:
    # Lines come in bursts: one parse a minute of transcript serves all its lines.
    if len(text) == 24 and text[23] == "Z":
        if len(_minutes) >= _MOST_MINUTES:
            _minutes.clear()
        _minutes[text[:16]] = ms - ms % 60_000
