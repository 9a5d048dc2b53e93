"""The stories of the past -> a Claude root: two weeks of sessions that end now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta

from unspool.demo.script.files import Stage
from unspool.demo.script.session import SessionRun
from unspool.demo.script.speaker import plan_run
from unspool.demo.script.steps import WEEKEND, Story

_SATURDAY = 5


def write_past(stage: Stage, stories: Sequence[Story], now: datetime) -> dict[str, SessionRun]:
    """Write the sessions of some stories, by name; `now` has a time zone."""
    (stage.root / "projects").mkdir(parents=True, exist_ok=True)
    runs = {}
    for story in stories:
        run = runs[story.name] = plan_run(stage, story)
        run.begin = begin_of(story, now)
        run.tell()
    return runs


def begin_of(story: Story, now: datetime) -> datetime:
    """When a story of the past began."""
    if story.ago:
        return (now - timedelta(minutes=story.ago)).astimezone(UTC)
    day = now.date() - timedelta(days=_days_back(story.day, now.weekday()))
    return datetime.combine(day, time.fromisoformat(story.at), now.tzinfo).astimezone(UTC)


def _days_back(working_days: int, weekday: int) -> int:
    """How long ago a working day was, or the last Saturday; `weekday` is today, Monday is 0."""
    if working_days == WEEKEND:
        return (weekday - _SATURDAY) % 7 or 7
    back = 0
    while working_days > 0:
        back += 1
        working_days -= (weekday - back) % 7 < _SATURDAY
    return back
