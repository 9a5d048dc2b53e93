from __future__ import annotations

from typing import Any

import pytest

from unspool.demo.generator.money import Prices, Usage

ROW: dict[str, Any] = {
    "from": None,
    "input": 3,
    "output": 15,
    "cache_write_5m": 3.75,
    "cache_write_1h": 6,
    "cache_read": 0.3,
    "tiers": [],
    "fast": None,
}
TIER: dict[str, Any] = {
    "above": 1_000,
    "input": 6,
    "output": 22.5,
    "cache_write_5m": 7.5,
    "cache_write_1h": 12,
    "cache_read": 0.6,
}


def cost(usage: Usage, day: str = "2026-05-01", *rows: Any) -> int | None:
    table = {"models": {"m": rows or [ROW]}, "aliases": {"m-1": "m"}, "geo": {"us": 1.1}}
    return Prices({**table, "web_search_usd": 0.01}).cost("m-1", day, usage)


def test_a_million_tokens_cost_their_rate_to_the_pico() -> None:
    assert cost(Usage(input=1_000_000)) == 3 * 10**12


@pytest.mark.parametrize(
    ("usage", "pico"),
    [
        (Usage(output=1), 15_000_000),
        (Usage(read=1), 300_000),
        (Usage(write_5m=1), 3_750_000),
        (Usage(write_1h=1), 6_000_000),
        (Usage(unsplit=1), 3_750_000),
        (Usage(searches=1), 10**10),
    ],
)
def test_each_kind_of_token_has_its_rate(usage: Usage, pico: int) -> None:
    assert cost(usage) == pico


# format 14
@pytest.mark.parametrize(("tokens", "rate"), [(1_000, 3_000_000), (1_001, 6_000_000)])
def test_a_tier_prices_the_whole_request_once_its_prompt_is_above(tokens: int, rate: int) -> None:
    assert cost(Usage(input=tokens), "2026-05-01", {**ROW, "tiers": [TIER]}) == tokens * rate


def test_the_row_of_the_day_counts() -> None:
    rows = ({**ROW, "input": 9}, {**ROW, "from": "2026-03-13", "input": 1})
    days = ("2026-03-12", "2026-03-13")

    assert [cost(Usage(input=1), day, *rows) for day in days] == [9_000_000, 1_000_000]


def test_fast_multiplies_where_the_row_says_so() -> None:
    assert cost(Usage(input=1, fast=True), "2026-05-01", {**ROW, "fast": 6}) == 18_000_000
    assert cost(Usage(input=1, fast=True)) == 3_000_000


def test_the_states_cost_a_tenth_more_but_searches_do_not() -> None:
    assert cost(Usage(input=1, us=True, searches=1)) == 3_300_000 + 10**10


def test_an_unknown_model_has_no_price() -> None:
    prices = Prices({"models": {}, "geo": {"us": 1.1}, "web_search_usd": 0.01})

    assert prices.cost("lantern", "2026-05-01", Usage(input=1)) is None
