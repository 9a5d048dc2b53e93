from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.derive.insights.facts import response
from unspool.derive.insights.kinds import Kinds
from unspool.derive.usage.prices import billed
from unspool.model.insights import ResponseFact
from unspool.model.prices import PriceRow, PriceTable, Rates, Tier
from unspool.model.usage import Tokens

HIGH = Rates(input=20, output=100, write_5m=25, write_1h=40, read=2)
ROW = PriceRow(
    Rates(input=10, output=50, write_5m=12, write_1h=20, read=1),
    tiers=(Tier(200_000, HIGH),),
    fast=20,
)
TABLE = PriceTable(models={"claude-opus-4-6": (ROW,)}, geo={"us": 11}, web_search=1_000)


def sums(*responses: ResponseFact) -> dict[str, int]:
    return {one.name: one.pico for one in Kinds(TABLE).sums(responses)}


def test_each_kind_of_token_has_its_own_price() -> None:
    one = response(
        input_tokens=1, output_tokens=2, cache_read=30, cache_write=4, write_5m=4, web_searches=1
    )

    assert sums(one) == {
        "Reading the cache": 30,
        "Answers": 100,
        "Writing the cache": 48,
        "New input": 10,
        "Web searches": 1_000,
    }


def test_what_has_no_price_is_in_none() -> None:
    assert sums(response(model="elsewhere/unknown", pico=None)) == {}


def test_a_break_is_priced_by_how_long_the_cache_lives() -> None:
    kinds, short, long = Kinds(TABLE), response(), response(write_1h=5)

    assert [kinds.price(short, 10, True), kinds.price(long, 10, True)] == [120, 200]
    assert kinds.price(short, 10, False) == 10
    assert kinds.price(response(model="elsewhere/unknown"), 10, True) is None


counts = st.integers(0, 150_000)


@given(counts, counts, counts, counts, st.sampled_from(["", "fast"]), st.sampled_from(["", "us"]))
def test_the_kinds_together_are_the_bill(
    new: int, answer: int, read: int, write: int, speed: str, geo: str
) -> None:
    more: dict[str, Any] = {"input_tokens": new, "output_tokens": answer, "cache_read": read}
    more |= {"cache_write": write, "write_1h": write // 3, "speed": speed, "geo": geo}
    tokens = Tokens(
        input=new,
        output=answer,
        cache_read=read,
        cache_write=write,
        write_1h=write // 3,
        speed=speed,
        geo=geo,
    )

    assert abs(sum(sums(response(**more)).values()) - billed(tokens, ROW, TABLE)) <= 4
