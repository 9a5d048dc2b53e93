"""Bars: heights are dollars, the scale is round, the table holds what is drawn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.show.charts.spend import EARLIER, DayCosts, StackedBars, stacked_bars

DAYS = [DayCosts("1 Nov", {"opus": 30.0, "haiku": 10.0}), DayCosts("2 Nov", {"haiku": 15.0})]


def many(count: int) -> StackedBars:
    return stacked_bars([DayCosts("a", {f"model-{n}": 20.0 - n for n in range(count)})])


def test_the_model_with_most_spent_on_it_has_the_first_tone_and_lies_at_the_bottom() -> None:
    first, second = stacked_bars(DAYS).bars[0].parts

    assert (first.tone, second.tone) == ("p1", "p2")
    assert first.y > second.y


def test_a_day_of_twice_the_cost_is_twice_as_high() -> None:
    made = stacked_bars([DayCosts("a", {"x": 20.0}), DayCosts("b", {"x": 10.0})]).bars

    assert made[0].parts[0].height == pytest.approx(2 * made[1].parts[0].height)


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


def test_every_bar_says_its_day_and_its_sum() -> None:
    assert [bar.label for bar in stacked_bars(DAYS).bars] == ["1 Nov: $40.00", "2 Nov: $15.00"]


def test_some_days_are_named_below_the_last_always_and_every_other_may_go() -> None:
    days = [DayCosts(f"Mon {n}", {"x": 1.0}, short=str(n)) for n in range(28)]
    words = stacked_bars(days).words

    assert [word.text for word in words] == ["0", "5", "10", "15", "20", "27"]
    assert [word.spare for word in words] == [False, True, False, True, False, False]


def test_the_table_has_every_day_and_model() -> None:
    made = stacked_bars(DAYS)

    assert made.head == ("Day", "opus", "haiku", "Sum")
    assert made.rows[0] == ("1 Nov", "$30.00", "$10.00", "$40.00")


def test_four_weeks_earlier_is_drawn_on_the_bar_and_told_by_the_table() -> None:
    made = stacked_bars([DayCosts("a", {"x": 10.0}, earlier=20.0), DayCosts("b", {}, earlier=0.0)])

    assert [bar.earlier_y for bar in made.bars] == [0.0, None]
    assert (made.head[-1], [row[-1] for row in made.rows]) == (EARLIER, ["$20.00", "$0.00"])


def test_eight_models_have_a_tone_and_a_name_each() -> None:
    key = many(8).key

    assert [one.tone for one in key] == [f"p{n}" for n in range(1, 9)]
    assert [one.name for one in key] == [f"model-{n}" for n in range(8)]


def test_of_more_than_eight_the_last_share_a_tone_and_are_named_in_it() -> None:
    made = many(10)

    assert {part.tone for part in made.bars[0].parts[7:]} == {"p8"}
    assert [one.tone for one in made.key] == [f"p{n}" for n in range(1, 9)]
    assert (made.key[-1].name, made.key[-1].cost) == ("3 others", "$36.00")
    assert [name for name, _ in made.key[-1].others] == ["model-7", "model-8", "model-9"]


def test_the_legend_may_be_of_some_days_while_tones_are_of_all() -> None:
    made = stacked_bars(DAYS, spent={"haiku": 15.0})

    assert [(one.name, one.tone, one.cost) for one in made.key] == [
        ("opus", "p1", "$0.00"),
        ("haiku", "p2", "$15.00"),
    ]


def test_a_bar_may_be_a_month() -> None:
    made = stacked_bars(DAYS, noun="month")

    assert (made.head[0], made.label) == ("Month", "Dollars per month by model")


def test_no_days_are_an_empty_chart() -> None:
    made = stacked_bars([])

    assert (made.bars, made.rows) == ((), ())


@given(st.lists(st.floats(0, 1e9), max_size=40))
def test_no_bar_is_higher_than_the_chart(sums: list[float]) -> None:
    made = stacked_bars([DayCosts(str(n), {"x": usd}) for n, usd in enumerate(sums)])
    parts = [part for bar in made.bars for part in bar.parts]

    assert all(part.y >= -0.1 and part.y + part.height <= 100.1 for part in parts)
    assert len(made.grid) <= 6
