"""Bars: heights are dollars, the scale is round, the table holds what is drawn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.show.charts.spend import DayCosts, stacked_bars

DAYS = [DayCosts("1 Nov", {"opus": 30.0, "haiku": 10.0}), DayCosts("2 Nov", {"haiku": 15.0})]


def test_the_dearest_model_is_the_strongest_and_lies_at_the_bottom() -> None:
    first, second, _ = stacked_bars(DAYS).bars

    assert (first.name, second.name) == ("m1", "m2")
    assert first.y > second.y


def test_a_day_of_twice_the_cost_is_twice_as_high() -> None:
    made = stacked_bars([DayCosts("a", {"x": 20.0}), DayCosts("b", {"x": 10.0})]).bars

    assert made[0].height + 1 == pytest.approx(2 * (made[1].height + 1), abs=0.2)


def test_the_scale_ends_at_a_round_number_above_the_most() -> None:
    assert [line.text for line in stacked_bars(DAYS).grid] == ["$10", "$20", "$30", "$40"]


@pytest.mark.parametrize(
    ("most", "lines"),
    [
        (0.04, ["$0.01", "$0.02", "$0.03", "$0.04"]),
        (1.1, ["$0.50", "$1.00", "$1.50"]),
        (0.011, ["$0.005", "$0.010", "$0.015"]),
    ],
)
def test_every_line_of_a_small_scale_says_its_value(most: float, lines: list[str]) -> None:
    assert [line.text for line in stacked_bars([DayCosts("a", {"x": most})]).grid] == lines


def test_the_highest_and_the_last_say_their_sum() -> None:
    said = [word.text for word in stacked_bars(DAYS).words if word.strong]

    assert said == ["$40.00", "2 Nov", "$15.00"]


def test_the_table_has_every_day_and_model() -> None:
    made = stacked_bars(DAYS)

    assert made.head == ("Day", "opus", "haiku", "Sum")
    assert made.rows[0] == ("1 Nov", "$30.00", "$10.00", "$40.00")


def test_models_beyond_the_third_share_the_lightest_shade() -> None:
    made = stacked_bars([DayCosts("a", {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0})])

    assert [name for name, _ in made.key] == ["m1", "m2", "m3", "m3"]


def test_many_models_are_named_by_the_dearest_and_the_rest() -> None:
    made = stacked_bars([DayCosts("a", {f"model-{n}": 10.0 - n for n in range(9)})])

    assert len(made.key) == 7
    assert made.key[-1] == ("m3", "3 others $9.00")


def test_a_bar_may_be_a_month() -> None:
    made = stacked_bars(DAYS, noun="month")

    assert (made.head[0], made.label) == ("Month", "dollars per month, stacked by model")


def test_no_days_are_an_empty_chart() -> None:
    made = stacked_bars([])

    assert (made.bars, made.rows) == ((), ())


@given(st.lists(st.floats(0, 1e9), max_size=40))
def test_no_bar_is_higher_than_the_chart(sums: list[float]) -> None:
    made = stacked_bars([DayCosts(str(n), {"x": usd}) for n, usd in enumerate(sums)])

    assert all(bar.y >= -0.1 and bar.y + bar.height <= made.floor for bar in made.bars)
    assert len(made.grid) <= 6
