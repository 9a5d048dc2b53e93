"""When the weekly usage limits of the demo start again."""

from datetime import UTC, datetime, timedelta

_HOUR = 9


def weekly_reset(now: datetime) -> datetime:
    """The moment, the day after tomorrow; `now` is when the demo begins."""
    later = now.astimezone(UTC) + timedelta(days=2)
    return later.replace(hour=_HOUR, minute=0, second=0, microsecond=0)
