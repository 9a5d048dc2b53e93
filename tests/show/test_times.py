from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.show.made import NOON
from unspool.show import times

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


def past(milliseconds: int) -> str:
    return datetime.fromtimestamp((NOON - milliseconds) / 1_000, UTC).isoformat()


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (20_000, "now"),
        (4 * MINUTE, "4 min ago"),
        (23 * HOUR, "23 h ago"),
        (2 * DAY, "Tue 12:00"),
        (8 * DAY, "24 Dec 2025"),
        (-5 * DAY, "Tue 6 Jan"),
        (-MINUTE, "now"),
    ],
)
def test_a_moment_is_relative_within_a_day_and_dated_beyond(milliseconds: int, shown: str) -> None:
    assert times.ago(past(milliseconds), NOON, UTC) == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (HOUR, "13:00"),
        (DAY, "Fri 12:00"),
        (6 * DAY, "Wed 7 Jan"),
        (-HOUR, "11:00"),
        (-DAY, "31 Dec 2025"),
    ],
)
def test_a_moment_to_come_is_a_time_and_far_away_a_date(milliseconds: int, shown: str) -> None:
    assert times.coming(past(-milliseconds), NOON, UTC) == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, "0.0 s"),
        (640, "0.6 s"),
        (4_200, "4.2 s"),
        (9_990, "10 s"),
        (59_400, "59 s"),
        (59_600, "1 min"),
        (12 * MINUTE, "12 min"),
        (72 * MINUTE, "1 h 12 min"),
        (HOUR, "1 h"),
        (76 * HOUR, "3 d 4 h"),
        (2 * DAY, "2 d"),
        (None, ""),
        (-1, ""),
    ],
)
def test_a_length_of_time_has_two_units_at_most(milliseconds: int | None, shown: str) -> None:
    assert times.duration(milliseconds) == shown


def test_a_clock_is_the_readers() -> None:
    india = timezone(timedelta(hours=5, minutes=30))

    assert times.clock("2026-01-01T10:02:00.000Z", india) == "15:32"


def test_a_minute_is_told_once() -> None:
    assert times.between("2026-01-01T10:02:00Z", "2026-01-01T10:02:59Z", UTC) == "10:02"
    assert times.between("2026-01-01T10:02:00Z", "2026-01-01T10:09:00Z", UTC) == "10:02 – 10:09"


def test_a_missing_end_is_left_out() -> None:
    assert times.between("2026-01-01T10:02:00Z", None, UTC) == "10:02"
    assert times.between(None, None, UTC) == ""


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("2026-01-01T10:09:00Z", "Thu 1 Jan 10:02 – 10:09"),
        ("2026-01-03T09:55:00Z", "Thu 1 Jan 10:02 – Sat 3 Jan 09:55"),
        ("2026-01-01T10:02:30Z", "Thu 1 Jan 10:02"),
        (None, "Thu 1 Jan 10:02"),
    ],
)
def test_an_end_on_another_day_says_which(end: str | None, told: str) -> None:
    assert times.lasting("2026-01-01T10:02:00Z", end, NOON, UTC) == told


def test_another_year_is_named() -> None:
    assert times.date("2026-01-05T00:00:00Z", NOON, UTC) == "Mon 5 Jan"
    assert times.date("2025-12-24T00:00:00Z", NOON, UTC) == "24 Dec 2025"


@pytest.mark.parametrize("odd", ["", "soon", "0000-00-00T00:00:00.000000Z", "9999-99-99", "\0"])
def test_what_is_no_time_is_nothing(odd: str) -> None:
    assert times.clock(odd, UTC) == ""
    assert times.ago(odd, NOON, UTC) == ""


@given(st.datetimes() | st.datetimes(timezones=st.timezones()))
def test_every_time_there_is_can_be_told(at: datetime) -> None:
    assert isinstance(times.ago(at.isoformat(), NOON, UTC), str)


def test_a_clock_may_have_seconds() -> None:
    assert times.clock_second("2026-01-01T10:02:11.900Z", UTC) == "10:02:11"
    assert times.clock_second(None) == ""
