from argparse import ArgumentTypeError

import pytest

from unspool.cli.arguments import end_time, start_time, time_zone


def test_a_day_begins_with_its_first_moment_and_ends_with_its_last() -> None:
    assert end_time("2026-01-31") - start_time("2026-01-31") == 86_399_999


def test_a_moment_is_its_own_end() -> None:
    assert end_time("2026-01-31T10:00") == start_time("2026-01-31T10:00")


def test_today_is_wanted_to_its_end() -> None:
    assert end_time("today") > start_time("1m")


@pytest.mark.parametrize("said", ["soon", "", "2026-13-01"])
def test_what_is_no_time_is_refused(said: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is not a time"):
        end_time(said)


@pytest.mark.parametrize("name", ["Mars/Olympus", ""])
def test_an_unknown_zone_is_wrong_usage(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match="Unknown time zone"):
        time_zone(name)
