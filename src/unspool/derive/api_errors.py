"""The line that stands in the model's place when a request failed -> why, and until when.

Claude Code writes the sentence that it shows: a usage limit with the time of its reset, or an API
error. Newer versions add one word for the kind of error. It loads no model: a status line asks it.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from unspool.model.usage import ApiError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.model.message import Message

_RATE_LIMIT: Final = "rate_limit"
_LIMIT: Final = re.compile(
    r"\blimit reached\b|\bhit your [\w ]{0,40}limit\b|\bout of extra usage\b"
)
_EPOCH: Final = re.compile(r"(?<=limit reached)\|(\d{10})\b")
_RESET: Final = re.compile(
    r"\bresets (?:(?P<month>[A-Z][a-z]{2}) (?P<day>\d{1,2})(?:,| at) )?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))? ?(?P<half>am|pm) \((?P<zone>[\w+/-]{1,64})\)"
)
LONGEST_STOP: Final = 12 * 3_600_000
_MONTHS: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def api_error(message: "Message") -> ApiError | None:
    """The error that a message tells of; None if it is not such a line."""
    return failed_request(message.error, message.head, message.at) if message.error else None


def failed_request(kind: str, sentence: str, at: int | None) -> ApiError:
    """What Claude Code's word for an error and its sentence say, which was written then."""
    text = " ".join(sentence.split())
    if kind == _RATE_LIMIT or _LIMIT.search(text):
        text, until = epoch_in(text)
        return ApiError("limited", text, until or _reset_time(text, at))
    return ApiError("failed", text)


def is_over(since: int | None, until: int | None, now: int) -> bool:
    """Whether it no longer matters: the limit is reset, or nobody looked for half a day."""
    return now >= until if until is not None else now - (since or 0) >= LONGEST_STOP


def epoch_in(text: str) -> tuple[str, int | None]:
    """A sentence without the bare number of seconds that old versions put there, and that moment.

    No reader can tell what 1768400000 is.
    """
    found = _EPOCH.search(text)
    return (_EPOCH.sub("", text), int(found[1]) * 1_000) if found else (text, None)


def _reset_time(text: str, at: int | None) -> int | None:
    """The next time that fits after the message; without a time zone nobody can tell."""
    found = _RESET.search(text)
    if found is None or at is None:
        return None
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - few lines name a zone

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
