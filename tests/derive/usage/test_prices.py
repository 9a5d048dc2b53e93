import pytest

from tests.derive.usage.books import NOON, TABLE, rates, response
from tests.engine.roots import PRICES
from unspool.derive.reading.clock import millis
from unspool.derive.usage.prices import (
    MOST_PICO,
    Pricer,
    find_exact,
    find_prices,
    pico,
    rates_for,
    row_at,
    usd,
)
from unspool.model.prices import PriceRow, PriceTable, Tier
from unspool.model.usage import Mode, Tokens

SONNET = "claude-sonnet-4-5"
LONG = Tokens(input=3, output=1_000, cache_read=190_000, cache_write=30_000)


def dollars(
    tokens: Tokens, model: str = SONNET, *, mode: Mode = "billing", at: str | None = None
) -> float | None:
    found = Pricer(TABLE, mode).price(tokens, model, millis(at))
    return None if found is None else usd(found)


# devtools 93
@pytest.mark.parametrize("mode", ["billing", "devtools"])
def test_each_kind_of_token_has_its_rate(mode: Mode) -> None:
    plain, cached = Tokens(1000, 500), Tokens(1000, 500, cache_read=300, cache_write=200)

    assert (dollars(plain, mode=mode), dollars(cached, mode=mode)) == (0.0105, 0.01134)


# devtools 94
def test_devtools_raises_the_rate_of_the_tokens_above_200k() -> None:
    many = Tokens(input=250_000)

    assert dollars(many, mode="devtools") == 0.9
    assert dollars(many, "claude-opus-4-1", mode="devtools") == 3.75


# devtools 95
def test_ten_messages_never_add_up_to_a_tier() -> None:
    each = Pricer(TABLE, "devtools").price(Tokens(cache_read=50_000), SONNET, None)

    assert each is not None
    assert usd(10 * each) == 0.15


# devtools 96
@pytest.mark.parametrize("mode", ["billing", "devtools"])
def test_exactly_200k_is_still_the_base_rate(mode: Mode) -> None:
    assert dollars(Tokens(input=200_000), mode=mode) == 0.6


# devtools 97
def test_nothing_costs_nothing_and_less_than_nothing_too() -> None:
    nothing, less = Tokens(), Tokens(-1, -1, -1, -1)

    assert (dollars(nothing, mode="devtools"), dollars(less, mode="devtools")) == (0, 0)


# devtools 97
def test_a_tier_may_be_free() -> None:
    assert dollars(Tokens(input=300_000), "half-free", mode="devtools") == 0.6


def test_devtools_takes_a_missing_cache_rate_for_free() -> None:
    assert dollars(Tokens(cache_read=9, cache_write=9), "half-free", mode="devtools") == 0


# devtools 99
def test_a_response_without_a_model_is_free_in_devtools_and_unpriced_in_billing() -> None:
    assert (dollars(LONG, "", mode="devtools"), dollars(LONG, "")) == (0, None)


# devtools 99
@pytest.mark.parametrize("mode", ["billing", "devtools"])
def test_an_unknown_model_has_no_price(mode: Mode) -> None:
    assert dollars(LONG, "gpt-5", mode=mode) is None


# devtools 100
def test_writes_that_live_an_hour_cost_twice_the_input() -> None:
    writes = Tokens(cache_write=1000, write_5m=400, write_1h=600)

    assert dollars(writes) == 0.0015 + 0.0036
    assert dollars(writes, mode="devtools") == 0.00375


def test_writes_of_unsaid_lifetime_are_short() -> None:
    assert dollars(Tokens(cache_write=1000, write_1h=600)) == 0.0015 + 0.0036


# devtools 101
def test_billing_looks_at_the_whole_prompt_and_devtools_at_each_field() -> None:
    assert (dollars(LONG), dollars(LONG, mode="devtools")) == (0.361518, 0.184509)


# format 14
def test_a_haiku_prompt_over_100k_raises_the_whole_request() -> None:
    short, long = (Tokens(output=1000, cache_read=size) for size in (99_000, 101_000))

    assert dollars(short, "claude-haiku-5-5") == 0.00149
    assert dollars(long, "claude-haiku-5-5") == 0.00755


def test_the_price_is_that_of_the_day() -> None:
    before, after = "2026-03-12T12:00:00.000Z", "2026-03-13T12:00:00.000Z"
    long = Tokens(input=300_000)

    assert dollars(long, "claude-sonnet-4-6", at=before) == 1.8
    assert dollars(long, "claude-sonnet-4-6", at=after) == 0.9


def test_fast_answers_cost_more_where_they_were_sold() -> None:
    fast, when = Tokens(output=1000, speed="fast"), "2026-05-01T00:00:00.000Z"

    assert dollars(fast, "claude-opus-4-7", at=when) == 0.15
    assert dollars(fast, "claude-opus-4-7") == 0.025
    assert dollars(Tokens(output=1000, speed="standard"), "claude-opus-4-7", at=when) == 0.025


def test_answers_from_the_us_cost_a_tenth_more() -> None:
    us, anywhere = Tokens(output=1000, geo="us"), Tokens(output=1000, geo="not_available")

    assert (dollars(us), dollars(anywhere)) == (0.0165, 0.015)


def test_a_search_costs_a_cent_however_fast_and_wherever() -> None:
    search = Tokens(web_searches=3, speed="fast", geo="us")

    assert (dollars(search), dollars(search, mode="devtools")) == (0.03, 0)


@pytest.mark.parametrize("mode", ["billing", "devtools"])
def test_no_response_costs_more_than_a_thousand_dollars(mode: Mode) -> None:
    """Made-up counts and prices must not drown a sum, in a database's 64 bits or a reader's eye."""
    gold = PriceTable(models={"gold": (PriceRow(rates(10**9, 10**9, 0, 0, 0)),)})

    assert Pricer(TABLE, mode).price(Tokens(output=10**400), SONNET, None) == MOST_PICO
    assert Pricer(gold).price(Tokens(10**9), "gold", None) == MOST_PICO == pico(1_000)


def test_dollars_go_back_to_what_they_were() -> None:
    assert all(pico(usd(count)) == count for count in (0, 1, 361_518_000_001, 9 * 10**15))


OLD = PriceRow(rates(3), start="2026-01-01", until="2026-03-13")
NEW = PriceRow(rates(2), start="2026-03-13")


@pytest.mark.parametrize(
    ("at", "row"),
    [
        ("2026-01-01T00:00:00.000Z", OLD),
        ("2026-03-12T23:59:59.999Z", OLD),
        ("2026-03-13T00:00:00.000Z", NEW),
        ("2026-03-12T23:30:00.000-05:00", NEW),
        ("2030-01-01T00:00:00.000Z", NEW),
        ("2025-01-01T00:00:00.000Z", OLD),
        (None, NEW),
    ],
)
def test_a_request_takes_the_row_of_its_utc_day(at: str | None, row: PriceRow) -> None:
    assert row_at((OLD, NEW), millis(at)) is row


def test_a_model_with_one_price_has_it_on_any_day() -> None:
    assert row_at((NEW,), millis("2025-01-01T00:00:00.000Z")) is NEW


def test_a_tier_begins_above_its_limit() -> None:
    row = PriceRow(rates(1), tiers=(Tier(500, rates(3)), Tier(100, rates(2))))

    found = [rates_for(row, prompt) for prompt in (100, 101, 500, 501)]

    assert found == [rates(1), rates(2), rates(2), rates(3)]


def test_a_response_is_priced_at_the_time_of_its_earliest_line() -> None:
    day = 1_773_360_000_000  # 2026-03-13, when long prompts became cheaper
    before, after = (response("claude-sonnet-4-6", at=at, input=300_000) for at in (day - 1, day))

    assert (before.usd_pico, after.usd_pico) == (300_000 * 6_000_000, 300_000 * 3_000_000)


def test_a_row_is_found_once_for_a_model_and_a_day() -> None:
    pricer, day = Pricer(TABLE), 1_773_360_000_000

    assert pricer.row("claude-sonnet-4-6", day - 1) is not pricer.row("claude-sonnet-4-6", day)
    assert pricer.row("claude-sonnet-4-6", day) is pricer.row("claude-sonnet-4-6", day + 5)
    assert pricer.row("nobody", NOON) is None


def test_a_model_can_read_as_much_as_its_row_says_and_an_unknown_one_nobody_knows() -> None:
    pricer = Pricer(PRICES)

    assert pricer.window("claude-opus-5-20260101", None) == 1_000_000
    assert pricer.window("new-9", None) is None


NAMES = {"claude-sonnet-4": "plain", "claude-sonnet-4-20250514": "dated", "My-Model": "mine"}
ALIASES = {"claude-4-sonnet-20250514": "claude-sonnet-4"}


@pytest.mark.parametrize(
    "model",
    [
        "claude-sonnet-4",
        "claude-sonnet-4[1m]",
        "claude-sonnet-4-20990101",
        "claude-sonnet-4-latest",
        "claude-sonnet-4@default",
        "anthropic/claude-sonnet-4",
        "anthropic.claude-sonnet-4-v1:0",
        "us.anthropic.claude-sonnet-4-20990101-v1:0",
        "us-gov.anthropic.claude-sonnet-4-v1:0:200k",
        "openrouter/anthropic/claude-sonnet-4",
        "Claude-Sonnet-4[1M]",
        "claude-4-sonnet-20250514",
        "vertex_ai/claude-4-sonnet@20250514",
    ],
)
def test_a_model_is_found_under_its_other_names(model: str) -> None:
    assert find_prices(model, NAMES, ALIASES) == "plain"


@pytest.mark.parametrize("model", ["claude-sonnet-4-20250514", "claude-sonnet-4@20250514"])
def test_the_name_nearest_to_the_written_one_wins(model: str) -> None:
    assert find_prices(model, NAMES, ALIASES) == "dated"


@pytest.mark.parametrize("model", ["", "gpt-5", "claude-sonnet-4-turbo", "not-claude-sonnet-4"])
def test_another_model_is_not_found(model: str) -> None:
    assert find_prices(model, NAMES, ALIASES) is None


# devtools 99
def test_case_does_not_matter() -> None:
    assert (find_prices("my-MODEL", NAMES, {}), find_exact("MY-model", NAMES)) == ("mine", "mine")


def test_the_exact_name_comes_before_one_that_differs_in_case() -> None:
    prices = {"a": "small", "A": "large"}

    assert (find_exact("a", prices), find_prices("a", prices, {})) == ("small", "small")


def test_claude_devtools_strips_nothing() -> None:
    assert find_exact("claude-sonnet-4[1m]", NAMES) is None
