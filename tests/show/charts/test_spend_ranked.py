"""Ranked bars: the largest first, and the sum stays whole."""

from unspool.show.charts.spend import Amount, ranked


def test_the_largest_comes_first_and_is_the_measure() -> None:
    made = ranked([Amount("a", 1.0), Amount("b", 4.0)], "by x").rows

    assert [(row.name, row.percent, row.value) for row in made] == [
        ("b", 100.0, "$4.00"),
        ("a", 25.0, "$1.00"),
    ]


def test_those_beyond_the_limit_are_one_row() -> None:
    made = ranked([Amount(str(n), 1.0) for n in range(10)], "by x", limit=8).rows

    assert (made[-1].name, made[-1].value) == ("2 others", "$2.00")


def test_one_beyond_the_limit_keeps_its_name() -> None:
    assert len(ranked([Amount(str(n), 1.0) for n in range(9)], "by x", limit=8).rows) == 9


def test_what_has_no_price_says_so() -> None:
    (row,) = ranked([Amount("a", None)], "by x").rows

    assert (row.percent, row.value) == (0.0, "unpriced")
