"""The line that stands in the model's place when a request failed -> why, and until when.

Claude Code writes the sentence that it shows: a usage limit with the time of its reset, or an API
error. Newer versions add one word for the kind of error.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from unspool.model.document import StatusName
from unspool.model.message import Message

_RATE_LIMIT: Final = "rate_limit"
_LIMIT: Final = re.compile(
    r"\blimit reached\b|\bhit your [\w ]{0,40}limit\b|\bout of extra usage\b"
)
_EPOCH: Final = re.compile(r"limit reached\|(\d{10})\b")
_RESET: Final = re.compile(
    r"\bresets (?:(?P<month>[A-Z][a-z]{2}) (?P<day>\d{1,2})(?:,| at) )?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))? ?(?P<half>am|pm) \((?P<zone>[\w+/-]{1,64})\)"
)
_MONTHS: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


class ApiError(NamedTuple):
    """Why a session stopped; `until` is None where the sentence does not say it in full."""

    state: StatusName
    reason: str
    until: int | None = None


def api_error(message: Message) -> ApiError | None:
    """The error that a message tells of; None if it is not such a line."""
    if not message.error:
        return None
    reason = " ".join(message.head.split())
    if message.error == _RATE_LIMIT or _LIMIT.search(reason):
        return ApiError("limited", reason, _reset_time(reason, message.at))
    return ApiError("failed", reason)


def _reset_time(text: str, at: int | None) -> int | None:
    """The next time that fits after the message; without a time zone nobody can tell."""
    if epoch := _EPOCH.search(text):
        return int(epoch[1]) * 1_000
    found = _RESET.search(text)
    if found is None or at is None:
        return None
    try:
        zone = ZoneInfo(found["zone"])
        written = datetime.fromtimestamp(at / 1_000, UTC).astimezone(zone)
        hour = int(found["hour"]) % 12 + 12 * (found["half"] == "pm")
        reset = written.replace(
            hour=hour, minute=int(found["minute"] or 0), second=0, microsecond=0
        )
        if found["month"]:
            reset = reset.replace(month=_MONTHS.index(found["month"]) + 1, day=int(found["day"]))
            reset = reset if reset > written else reset.replace(year=reset.year + 1)
        elif reset <= written:
            reset += timedelta(days=1)
    except (ValueError, OverflowError, OSError, LookupError):
        return None  # no such zone, day or hour
    return int(reset.timestamp() * 1_000)
