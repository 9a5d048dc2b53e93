from datetime import UTC, datetime, timedelta

import pytest

from unspool.demo.script.limits import weekly_reset

NOON = datetime(2026, 11, 18, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize("hours", range(24))
def test_the_week_ends_on_the_hour_one_or_two_days_from_now(hours: int) -> None:
    now = NOON + timedelta(hours=hours)

    assert timedelta(days=1) < weekly_reset(now) - now < timedelta(days=3)
    assert f"{weekly_reset(now):%H:%M:%S.%f %Z}" == "09:00:00.000000 UTC"
