"""Usage limits of the demo, recorded as a status line does: they move while its sessions run."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from unspool.cli import paths
from unspool.demo.script.limits import weekly_reset
from unspool.derive.usage.quota import LENGTHS
from unspool.engine.quota import latest_quota, record_quota
from unspool.model.usage import Quota, QuotaWindow

# What is used by the end of a window: less than there is of five hours, more than there is of a
# week, in which one session has reached the limit of its model.
_FIVE_HOURS: Final = 0.72
_WEEK: Final = 1.08
_MOST: Final = 97.0
_BEGAN: Final = timedelta(minutes=205)  # the first work of the five hours: `stories.stopped`


def demo_home(root: Path) -> Path:
    """Where a server of the demo looks for them: beside the index of its root."""
    return Path(paths.scope([str(root)]).home)


def record_demo_quota(home: Path, now: datetime) -> None:
    """Record what is used now; a window goes on until its reset, then the next one begins."""
    last = latest_quota(str(home)) or Quota(0)
    at = _millis(now)
    begin = (now.astimezone(UTC) - _BEGAN).replace(minute=0, second=0, microsecond=0)
    five = last.five_hour.resets_at if last.five_hour else _millis(begin) + LENGTHS["5h"]
    seven = last.seven_day.resets_at if last.seven_day else _millis(weekly_reset(now))
    quota = Quota(
        at,
        _window(five, LENGTHS["5h"], at, _FIVE_HOURS),
        _window(seven, LENGTHS["7d"], at, _WEEK),
    )
    record_quota(str(home), quota)


def _window(resets_at: int, length: int, now: int, pace: float) -> QuotaWindow:
    while resets_at <= now:
        resets_at += length
    elapsed = 100 * (1 - (resets_at - now) / length)
    return QuotaWindow(round(min(pace * elapsed, _MOST), 1), resets_at)


def _millis(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)
