import pytest

from unspool.show.numbers import format_count, format_usd, plural


# devtools 103
@pytest.mark.parametrize(
    ("cost", "shown"),
    [(0, "$0.00"), (0.0105, "$0.01"), (0.0012, "$0.001"), (0.00012, "$0.0001")],
)
def test_small_sums_get_as_many_places_as_they_need(cost: float, shown: str) -> None:
    assert format_usd(cost) == shown


def test_large_sums_are_grouped() -> None:
    assert format_usd(12345.678) == "$12,345.68"


def test_no_price_is_not_zero() -> None:
    assert format_usd(None) == "unpriced"


def test_a_lower_bound_says_so() -> None:
    assert format_usd(3.1, at_least=True) == "≥ $3.10"


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1_234, "1.2k"),
        (62_200, "62.2k"),
        (99_960, "100k"),
        (142_400, "142k"),
        (999_600, "1.0M"),
        (3_400_000, "3.4M"),
        (2_000_000_000_000, "2,000B"),
        (-168_000, "-168k"),
    ],
)
def test_counts_take_about_three_digits(number: int, shown: str) -> None:
    assert format_count(number) == shown


def test_one_thing_is_not_many() -> None:
    assert plural(1, "search", "searches") == "1 search"
    assert plural(2, "search", "searches") == "2 searches"
    assert plural(1_200, "file") == "1,200 files"
