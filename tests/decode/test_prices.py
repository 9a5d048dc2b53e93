import json
from typing import Any

import pytest

from unspool.decode.prices import price_table
from unspool.model.prices import DevtoolsRow, FieldRates, PriceRow, PriceTable, Rates, Tier

OPUS = {"input": 5, "output": 25, "cache_write_5m": 6.25, "cache_write_1h": 10, "cache_read": 0.5}
OPUS_RATES = Rates(5_000_000, 25_000_000, 6_250_000, 10_000_000, 500_000)


def table(**content: Any) -> PriceTable:
    return price_table(json.dumps(content).encode())


def row(**content: Any) -> PriceRow:
    ((only,),) = table(models={"m": [content]}).models.values()
    return only


def mine(toml: str) -> PriceTable:
    bundled = {"models": {"m": [OPUS]}, "geo": {"us": 1.1}, "web_search_usd": 0.01}
    return price_table(json.dumps(bundled).encode(), toml.encode())


def test_dollars_per_million_become_whole_picodollars_per_token() -> None:
    assert row(**OPUS).rates == OPUS_RATES


@pytest.mark.parametrize(("dollars", "pico"), [(0.1, 100_000), (0.01, 10_000), (0.0375, 37_500)])
def test_small_prices_lose_nothing(dollars: float, pico: int) -> None:
    assert row(input=dollars, output=1).rates.input == pico


def test_missing_cache_prices_follow_the_input_price() -> None:
    assert row(input=4, output=20).rates == Rates(
        4_000_000, 20_000_000, 5_000_000, 8_000_000, 400_000
    )


def test_rows_stand_in_the_order_of_their_dates() -> None:
    late, early = {**OPUS, "from": "2026-03-13"}, {**OPUS, "until": "2026-03-13"}
    rows = table(models={"m": [late, early]}).models["m"]

    assert [(each.start, each.until) for each in rows] == [
        (None, "2026-03-13"),
        ("2026-03-13", None),
    ]


def test_the_tier_of_the_longest_prompts_comes_first() -> None:
    tiers = [{"above": above, "input": 1, "output": 2} for above in (100_000, 200_000)]
    found = row(**OPUS, tiers=[*tiers, {"above": 5}, 7])

    rates = Rates(1_000_000, 2_000_000, 1_250_000, 2_000_000, 100_000)
    assert found.tiers == (Tier(200_000, rates), Tier(100_000, rates))


def test_factors_are_in_tenths() -> None:
    assert row(**OPUS, fast=2).fast == 20
    assert row(**OPUS, fast=None).fast is None
    assert table(geo={"us": 1.1, "odd": "x"}).geo == {"us": 11}


def test_what_else_the_file_says_is_read() -> None:
    found = table(
        updated="2026-11-13", aliases={"a": "m", "b": 7}, web_search_usd=0.01, models={"m": OPUS}
    )

    assert (found.updated, found.aliases) == ("2026-11-13", {"a": "m"})
    assert found.web_search == 10_000_000_000
    assert found.models["m"] == (PriceRow(OPUS_RATES),)


def test_the_other_tools_rates_have_four_fields() -> None:
    above = {"input": 10, "output": 37.5, "write": 12.5}
    given = {"input": 5, "output": 25, "write": 6.25, "read": 0.5, "above_200k": above}
    found = table(devtools={"m": given, "odd": {"output": 1}, "none": 7}).devtools

    base = FieldRates(5_000_000, 25_000_000, 6_250_000, 500_000)
    assert found == {
        "m": DevtoolsRow(base, FieldRates(10_000_000, 37_500_000, 12_500_000, 500_000))
    }


def test_a_field_that_costs_nothing_above_the_threshold_is_free_there() -> None:
    given = {"input": 5, "output": 25, "above_200k": {"input": 0}}
    above = table(devtools={"m": given}).devtools["m"].above

    assert above is not None
    assert (above.input, above.output) == (0, 25_000_000)


@pytest.mark.parametrize("price", [None, "5", True, -1, 10**12, [5]])
def test_a_price_beyond_reason_leaves_the_model_unpriced(price: Any) -> None:
    found = table(models={"m": [{"input": price, "output": 1}]})

    assert found.models == {}
    assert found.trouble == ("m has no usable prices",)


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b'{"models":7,"geo":[]}', b"{" * 5000])
def test_a_price_file_in_trouble_prices_nothing(data: bytes) -> None:
    assert price_table(data) == PriceTable()


def test_a_users_price_wins() -> None:
    found = mine(
        '[models.m]\ninput = 1\noutput = 2\ncontext = 1000\n[models."my-model"]\ninput=3\noutput=4'
    )

    assert found.models["m"][0].rates.input == 1_000_000
    assert found.models["m"][0].context == 1000
    assert found.models["my-model"][0].rates.output == 4_000_000
    assert (found.geo, found.web_search) == ({"us": 11}, 10_000_000_000)


def test_a_user_may_date_prices() -> None:
    rows = mine("[[models.m]]\ninput=1\noutput=1\nuntil=2026-05-01\n").models["m"]

    assert rows[0].until == "2026-05-01"


def test_a_users_unusable_price_is_reported_and_ours_stays() -> None:
    found = mine("[models.m]\ninput = 'cheap'")

    assert found.models["m"][0].rates == OPUS_RATES
    assert found.trouble == ("m has no usable prices",)


@pytest.mark.parametrize("toml", ["[models", "\udcff", "a = " + "[" * 5000])
def test_a_users_file_that_cannot_be_read_is_reported(toml: str) -> None:
    found = price_table(b"{}", toml.encode("utf-8", "surrogateescape"))

    assert found.models == {}
    assert found.trouble[0].startswith("prices.toml cannot be read")
