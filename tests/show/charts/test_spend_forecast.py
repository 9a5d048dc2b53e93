"""The forecast: month to date by days gone, with a band of the last four weeks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.show.charts.spend import forecast


def test_the_month_goes_on_as_it_began() -> None:
    made = forecast("November", 30, [10.0] * 15, [70.0] * 4)

    assert (made.end, made.low, made.high, made.spent) == ("$300", "$300", "$300", "$150")
    assert made.days == 15


def test_the_band_is_the_cheapest_and_the_most_expensive_of_the_last_weeks() -> None:
    made = forecast("November", 30, [10.0] * 20, [35.0, 70.0, 70.0, 140.0])

    assert (made.low, made.high) == ("$250", "$400")


def test_a_small_month_is_told_to_the_cent() -> None:
    assert forecast("November", 30, [0.1] * 3, [0.7]).end == "$3.00"


money = st.floats(0, 1e6)


@given(st.lists(money, min_size=1, max_size=31), st.lists(money, min_size=4, max_size=4))
def test_the_forecast_lies_in_its_band_and_its_picture(
    spent: list[float], weeks: list[float]
) -> None:
    made = forecast("May", 31, spent, weeks)
    heights = [float(point.split(" ")[1]) for point in made.path[1:].split("L")]

    assert all(3.9 <= y <= 100 for y in heights)
    assert dollars(made.low) <= dollars(made.end) <= dollars(made.high)


def dollars(text: str) -> float:
    return float(text.strip("$").replace(",", ""))


@pytest.mark.parametrize("days", [28, 31])
def test_a_month_that_is_over_ends_where_it_is(days: int) -> None:
    made = forecast("May", days, [1.0] * days, [70.0, 0.0, 7.0, 7.0])

    assert made.end == made.low == made.high == made.spent
