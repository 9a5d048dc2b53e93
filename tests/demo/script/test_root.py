from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from unspool.demo.script.root import begin_of
from unspool.demo.script.steps import WEEKEND, Story

MONDAY = datetime(2026, 11, 16, 9, tzinfo=UTC)
DAYS = [MONDAY + timedelta(days=n) for n in range(7)]


def story(day: int = 0, at: str = "10:00", ago: float = 0) -> Story:
    return Story(name="a", title="A", steps=(), day=day, at=at, ago=ago)


@pytest.mark.parametrize("now", DAYS, ids=lambda now: f"{now:%a}")
def test_working_days_are_counted_back_over_weekends(now: datetime) -> None:
    begun = [begin_of(story(day), now) for day in range(1, 10)]

    assert all(one.weekday() < 5 for one in begun)
    assert len({one.date() for one in begun}) == 9
    assert begun == sorted(begun, reverse=True)
    assert now - begun[-1] < timedelta(days=14)


@pytest.mark.parametrize("now", DAYS, ids=lambda now: f"{now:%a}")
def test_the_weekend_is_the_last_saturday(now: datetime) -> None:
    begun = begin_of(story(WEEKEND), now)

    assert begun.weekday() == 5
    assert timedelta() < now - begun <= timedelta(days=7)


def test_the_time_of_day_is_the_readers() -> None:
    now = datetime(2026, 11, 17, 20, tzinfo=ZoneInfo("America/New_York"))

    assert begin_of(story(1, "09:30"), now) == datetime(2026, 11, 16, 14, 30, tzinfo=UTC)


def test_a_story_of_today_began_some_minutes_ago() -> None:
    assert begin_of(story(ago=90), MONDAY) == MONDAY - timedelta(minutes=90)
