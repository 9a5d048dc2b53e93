import time
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.engine.dates import (
    day_numbers,
    end_time,
    has_whole_hours,
    local_clock,
    local_times,
    midnight,
    offset_changes,
    start_of_today,
    start_time,
    time_zone,
    utc_offset,
)
from unspool.errors import ConfigError, NotFound

NOW = 1_768_404_600_000  # 2026-01-14T15:30Z, a Wednesday; tests live in UTC
NOON = 1_767_268_800_000  # 2026-01-01T12:00Z
FIRST = 20_454
DAY = timedelta(days=1)
EPOCH = date(1970, 1, 1)
ZONES = ["UTC", "Asia/Kolkata", "America/Sao_Paulo", "Pacific/Apia", "Australia/Lord_Howe"]


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000)


@given(st.sampled_from(ZONES), st.integers(1_100_000_000_000, 1_900_000_000_000))
def test_a_day_is_that_of_the_place(name: str, at: int) -> None:
    there = datetime.fromtimestamp(at / 1_000, ZoneInfo(name))

    assert day_numbers(ZoneInfo(name))(at) == (there.date() - EPOCH).days


@pytest.mark.parametrize(
    "at", ["2026-03-29T00:30:00Z", "2026-03-29T22:30:00Z", "2026-06-01T22:30Z"]
)
def test_without_a_place_it_is_the_machine_s(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    here = (datetime.fromtimestamp(ms(at) / 1_000).date() - EPOCH).days  # noqa: DTZ006
    found = day_numbers(None)(ms(at))
    monkeypatch.undo()
    time.tzset()

    assert found == here


def test_a_day_is_wanted_from_its_midnight_to_its_end() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")

    assert start_time("2026-01-31", NOW, tokyo) == ms("2026-01-31T00:00:00+09:00")
    assert end_time("20260131", NOW, tokyo) == ms("2026-02-01T00:00:00+09:00")


@pytest.mark.parametrize("word", ["today", "yesterday", "monday"])
def test_a_named_day_is_wanted_whole(word: str) -> None:
    place = ZoneInfo("Pacific/Apia")
    first = datetime.fromtimestamp(start_time(word, NOW, place) / 1_000, place)
    last = datetime.fromtimestamp(end_time(word, NOW, place) / 1_000, place)

    assert (first.hour, first.minute) == (0, 0)
    assert last.date() - first.date() == DAY


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-01-31", "2026-01-31T00:00"),
        ("2026-01-31T10:00+02:00", "2026-01-31T08:00"),
        ("2026-01-31T10:00", "2026-01-31T10:00"),
        ("7d", "2026-01-07T15:30"),
        ("24h", "2026-01-13T15:30"),
        ("90 min", "2026-01-14T14:00"),
        ("2w", "2025-12-31T15:30"),
        ("today", "2026-01-14T00:00"),
        ("Yesterday", "2026-01-13T00:00"),
        ("monday", "2026-01-12T00:00"),
        ("wed", "2026-01-14T00:00"),
        ("thu", "2026-01-08T00:00"),
    ],
)
def test_a_time_is_understood_as_people_write_it(text: str, at: str) -> None:
    assert start_time(text, NOW) == ms(f"{at}+00:00")


def test_a_span_ends_where_it_starts() -> None:
    assert end_time("2h", NOW) == start_time("2h", NOW) == NOW - 7_200_000


def test_a_time_without_a_zone_is_of_the_zone_asked_about() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")

    assert start_time("2026-01-31T10:00", NOW, tokyo) == ms("2026-01-31T10:00:00+09:00")


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "999999w", "7", "mo", "-3d"])
def test_a_text_that_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ConfigError, match="yesterday or a weekday"):
        start_time(text, NOW)


@pytest.mark.parametrize(
    ("name", "day"), [("UTC", FIRST), ("Pacific/Kiritimati", FIRST + 1), ("", FIRST)]
)
def test_a_moment_is_another_day_elsewhere(name: str, day: int) -> None:
    assert day_numbers(time_zone(name))(NOON) == day


def test_a_day_begins_at_midnight_there() -> None:
    assert midnight(date(2026, 1, 1), UTC) == NOON - 43_200_000
    assert midnight(date(2026, 1, 1), UTC, days=1) == NOON + 43_200_000
    assert midnight(date(2026, 1, 1), time_zone("Asia/Tokyo")) == NOON - 75_600_000


def test_today_begins_at_midnight_of_this_machine() -> None:
    assert start_of_today(NOW) == midnight(date(2026, 1, 14))


def test_a_moment_to_come_is_a_time_and_on_another_day_says_which() -> None:
    assert local_clock(NOW + 3_600_000, NOW) == "16:30"
    assert local_clock(NOW + 12 * 3_600_000, NOW) == "Thu 15 Jan 03:30"


@pytest.mark.parametrize("day", [date.min, date.max])
def test_the_first_and_the_last_day_have_a_midnight(day: date) -> None:
    assert abs(midnight(day, time_zone("Asia/Tokyo"), days=1)) > 10**13


def test_a_zone_goes_by_its_name() -> None:
    assert time_zone("Asia/Tokyo") == ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize(
    "name", ["Mars/Olympus", "../etc/passwd", "/etc/localtime", "..", "Europe", "\0", "a" * 64]
)
def test_an_unknown_zone_is_not_found(name: str) -> None:
    with pytest.raises(NotFound, match="Unknown time zone"):
        time_zone(name)


def test_a_clock_tells_day_and_time() -> None:
    assert local_times(ZoneInfo("Asia/Tokyo"))(ms("2026-01-31T15:30:00Z")) == "2026-02-01 00:30"


def test_a_clock_changes_at_a_quarter_of_an_hour() -> None:
    first, last = ms("2026-03-01T05:15:00+00:00"), ms("2026-12-01T00:00:00+00:00")
    found = offset_changes(utc_offset(ZoneInfo("Europe/Berlin")), first, last)

    assert found == [
        (first, 3_600_000),
        (ms("2026-03-29T01:00:00+00:00"), 7_200_000),
        (ms("2026-10-25T01:00:00+00:00"), 3_600_000),
    ]


def test_two_clocks_that_are_apart_for_a_while_differ() -> None:
    span = ms("2026-01-01T00:00:00+00:00"), ms("2026-12-31T00:00:00+00:00")
    one, other = (
        offset_changes(utc_offset(ZoneInfo(f"America/{name}")), *span)
        for name in ("New_York", "Havana")
    )

    assert one != other


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Europe/Berlin", True),
        ("UTC", True),
        ("Asia/Kolkata", False),
        ("Australia/Lord_Howe", False),
    ],
)
def test_whether_days_are_made_of_whole_hours_of_utc(name: str, expected: bool) -> None:
    assert has_whole_hours(ZoneInfo(name)) is expected
