from datetime import UTC, date

import pytest

from unspool.errors import NotFound
from unspool.serve.desks.days import calendar, midnight, zone

NOON = 1_767_268_800_000  # 2026-01-01T12:00Z
FIRST = 20_454


@pytest.mark.parametrize(
    ("place", "day"), [("UTC", FIRST), ("Pacific/Kiritimati", FIRST + 1), ("", FIRST)]
)
def test_a_moment_is_another_day_elsewhere(place: str, day: int) -> None:
    assert calendar(zone(place))(NOON) == day


def test_a_day_begins_at_midnight_there() -> None:
    assert midnight(date(2026, 1, 1), UTC) == NOON - 43_200_000
    assert midnight(date(2026, 1, 1), UTC, days=1) == NOON + 43_200_000
    assert midnight(date(2026, 1, 1), zone("Asia/Tokyo")) == NOON - 75_600_000


@pytest.mark.parametrize("day", [date.min, date.max])
def test_the_first_and_the_last_day_have_a_midnight(day: date) -> None:
    assert abs(midnight(day, zone("Asia/Tokyo"), days=1)) > 10**13


@pytest.mark.parametrize("name", ["Mars", "..", "/etc/passwd", "Europe", "\0", "a" * 64])
def test_a_zone_nobody_knows_is_not_found(name: str) -> None:
    with pytest.raises(NotFound):
        zone(name)
