from datetime import date

import pytest

from unspool.serve.pages import ranges
from unspool.serve.problems import BadRequest

DAY = 86_400_000
NOON = 20_000 * DAY + DAY // 2
TODAY = date.fromordinal(date(1970, 1, 1).toordinal() + 20_000)


@pytest.mark.parametrize(("name", "days"), [("today", 1), ("1", 1), ("7", 7), ("365", 365)])
def test_a_range_ends_with_today(name: str, days: int) -> None:
    found = ranges.read(name, NOON)

    assert found.until == 20_001 * DAY
    assert found.since == (20_001 - days) * DAY
    assert found.first
    assert (TODAY - found.first).days == days - 1


def test_all_has_no_beginning() -> None:
    assert ranges.read("all", NOON)[:2] == (None, 0)


@pytest.mark.parametrize("name", ["", "0", "soon", "-3", "1.5", "١", "100000"])
def test_there_is_no_other_range(name: str) -> None:
    with pytest.raises(BadRequest):
        ranges.read(name, NOON)


def test_a_day_is_read_as_it_is_written() -> None:
    assert (ranges.day(""), ranges.day("2026-11-09")) == (None, date(2026, 11, 9))
    with pytest.raises(BadRequest):
        ranges.day("the ninth")
