"""Ranked bars: the largest first, and the sum stays whole."""

from unspool.show.charts.spend import Amount, ranked


def test_the_largest_comes_first_and_is_the_measure() -> None:
    made = ranked([Amount("a", 1.0), Amount("b", 4.0)], "by x").rows

    assert [(row.name, row.percent, row.value) for row in made] == [
        ("b", 100.0, "$4.00"),
        ("a", 25.0, "$1.00"),
    ]


def test_those_beyond_the_limit_are_folded_away_with_their_sum() -> None:
    made = ranked([Amount(str(n), 1.0) for n in range(10)], "by x", limit=8)

    assert (len(made.rows), len(made.others)) == (8, 2)
    assert (made.others_name, made.others_value) == ("2 others", "$2.00")


def test_bars_are_measured_by_the_largest_row_however_many_others_there_are() -> None:
    made = ranked([Amount("a", 2.0), *(Amount(str(n), 1.0) for n in range(50))], "by x")

    assert [row.percent for row in made.rows[:2]] == [100.0, 50.0]
    assert {row.percent for row in made.others} == {50.0}


def test_one_beyond_the_limit_keeps_its_name() -> None:
    assert len(ranked([Amount(str(n), 1.0) for n in range(9)], "by x", limit=8).rows) == 9


def test_what_has_no_price_says_so() -> None:
    (row,) = ranked([Amount("a", None)], "by x").rows

    assert (row.percent, row.value) == (0.0, "unpriced")
