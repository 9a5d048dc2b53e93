import time
from argparse import ArgumentTypeError
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.cli.costs.days import ahead, begins, calendar, changes, clock, ends, zone

DAY = timedelta(days=1)
EPOCH = date(1970, 1, 1)
ZONES = ["UTC", "Asia/Kolkata", "America/Sao_Paulo", "Pacific/Apia", "Australia/Lord_Howe"]


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000)


@given(st.sampled_from(ZONES), st.integers(1_100_000_000_000, 1_900_000_000_000))
def test_a_day_is_that_of_the_place(name: str, at: int) -> None:
    there = datetime.fromtimestamp(at / 1_000, ZoneInfo(name))

    assert calendar(ZoneInfo(name))(at) == (there.date() - EPOCH).days


@pytest.mark.parametrize(
    "at", ["2026-03-29T00:30:00Z", "2026-03-29T22:30:00Z", "2026-06-01T22:30Z"]
)
def test_without_a_place_it_is_the_machine_s(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    here = (datetime.fromtimestamp(ms(at) / 1_000).date() - EPOCH).days  # noqa: DTZ006
    found = calendar(None)(ms(at))
    monkeypatch.undo()
    time.tzset()

    assert found == here


def test_a_day_is_wanted_from_its_midnight_to_its_end() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")

    assert begins("2026-01-31", tokyo) == ms("2026-01-31T00:00:00+09:00")
    assert ends("20260131", tokyo) == ms("2026-02-01T00:00:00+09:00")


def test_a_span_is_counted_from_now() -> None:
    now = time.time() * 1_000  # noqa: TID251

    assert abs(begins("24h", None) - (now - 86_400_000)) < 60_000
    assert abs(ends("2h", None) - (now - 7_200_000)) < 60_000


@pytest.mark.parametrize("word", ["today", "yesterday", "monday"])
def test_a_named_day_is_wanted_whole(word: str) -> None:
    place = ZoneInfo("Pacific/Apia")
    first = datetime.fromtimestamp(begins(word, place) / 1_000, place)
    last = datetime.fromtimestamp(ends(word, place) / 1_000, place)

    assert (first.hour, first.minute) == (0, 0)
    assert last.date() - first.date() == DAY


@pytest.mark.parametrize("said", ["soon", "2026-13-01", ""])
def test_what_names_no_time_is_said_so(said: str) -> None:
    with pytest.raises(ValueError, match="is no time we know"):
        begins(said, None)


def test_a_zone_goes_by_its_name() -> None:
    assert zone("Asia/Tokyo") == ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", "/etc/localtime", ""])
def test_an_unknown_zone_is_wrong_usage(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is no time zone"):
        zone(name)


def test_a_clock_tells_day_and_time() -> None:
    assert clock(ZoneInfo("Asia/Tokyo"))(ms("2026-01-31T15:30:00Z")) == "2026-02-01 00:30"


def test_a_clock_changes_at_a_quarter_of_an_hour() -> None:
    first, last = ms("2026-03-01T05:15:00+00:00"), ms("2026-12-01T00:00:00+00:00")
    found = changes(ahead(ZoneInfo("Europe/Berlin")), first, last)

    assert found == [
        (first, 3_600_000),
        (ms("2026-03-29T01:00:00+00:00"), 7_200_000),
        (ms("2026-10-25T01:00:00+00:00"), 3_600_000),
    ]


def test_two_clocks_that_are_apart_for_a_while_differ() -> None:
    span = ms("2026-01-01T00:00:00+00:00"), ms("2026-12-31T00:00:00+00:00")
    one, other = (
        changes(ahead(ZoneInfo(f"America/{name}")), *span) for name in ("New_York", "Havana")
    )

    assert one != other
