from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.demo.generator.made import PRICES
from unspool.demo.generator.eras import model_named
from unspool.demo.generator.truth import (
    PriceList,
    SessionTruth,
    TokenUsage,
    TruthLedger,
    UsageTally,
)

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


def cost(usage: TokenUsage, day: str = "2026-05-01", *rows: Any) -> int | None:
    table = {"models": {"m": rows or [ROW]}, "aliases": {"m-1": "m"}, "geo": {"us": 1.1}}
    return PriceList({**table, "web_search_usd": 0.01}).cost("m-1", day, usage)


def test_a_million_tokens_cost_their_rate_to_the_pico() -> None:
    assert cost(TokenUsage(input=1_000_000)) == 3 * 10**12


@pytest.mark.parametrize(
    ("usage", "pico"),
    [
        (TokenUsage(output=1), 15_000_000),
        (TokenUsage(read=1), 300_000),
        (TokenUsage(write_5m=1), 3_750_000),
        (TokenUsage(write_1h=1), 6_000_000),
        (TokenUsage(unsplit=1), 3_750_000),
        (TokenUsage(searches=1), 10**10),
    ],
)
def test_each_kind_of_token_has_its_rate(usage: TokenUsage, pico: int) -> None:
    assert cost(usage) == pico


# format 14
@pytest.mark.parametrize(("tokens", "rate"), [(1_000, 3_000_000), (1_001, 6_000_000)])
def test_a_tier_prices_the_whole_request_once_its_prompt_is_above(tokens: int, rate: int) -> None:
    assert cost(TokenUsage(input=tokens), "2026-05-01", {**ROW, "tiers": [TIER]}) == tokens * rate


def test_the_row_of_the_day_counts() -> None:
    rows = ({**ROW, "input": 9}, {**ROW, "from": "2026-03-13", "input": 1})
    days = ("2026-03-12", "2026-03-13")

    assert [cost(TokenUsage(input=1), day, *rows) for day in days] == [9_000_000, 1_000_000]


def test_fast_multiplies_where_the_row_says_so() -> None:
    assert cost(TokenUsage(input=1, fast=True), "2026-05-01", {**ROW, "fast": 6}) == 18_000_000
    assert cost(TokenUsage(input=1, fast=True)) == 3_000_000


def test_the_states_cost_a_tenth_more_but_searches_do_not() -> None:
    assert cost(TokenUsage(input=1, us=True, searches=1)) == 3_300_000 + 10**10


def test_an_unknown_model_has_no_price() -> None:
    prices = PriceList({"models": {}, "geo": {"us": 1.1}, "web_search_usd": 0.01})

    assert prices.cost("lantern", "2026-05-01", TokenUsage(input=1)) is None


OPUS = model_named("claude-opus-5")


def ledger_in(directory: Path) -> TruthLedger:
    return TruthLedger(directory / "truth.json", PriceList(PRICES))


def test_a_tally_sums_responses() -> None:
    tally = UsageTally()
    for finished in (True, False):
        tally.add(TokenUsage(input=2, write_1h=3, unsplit=4), 10, finished=finished)

    assert tally.document()["cacheCreationTokens"] == 14
    assert (tally.messages, tally.input, tally.pico, tally.unfinished) == (2, 4, 20, 1)


def test_a_response_counts_for_its_session_its_model_and_its_day(tmp_path: Path) -> None:
    ledger, session = ledger_in(tmp_path), SessionTruth("s", {})
    ledger.message(OPUS, "2026-09-01", TokenUsage(input=7), session.subagents, finished=True)
    ledger.close_session(session)
    truth = ledger.finish()

    assert truth.days["2026-09-01"]["claude-opus-5"]["inputTokens"] == 7
    assert truth.sessions["s"]["subagents"]["inputTokens"] == 7
    assert truth.sessions["s"]["main"]["inputTokens"] == 0


def test_an_unpriced_response_is_listed_and_free(tmp_path: Path) -> None:
    ledger, lantern = ledger_in(tmp_path), model_named("x")

    assert ledger.message(lantern, "2026-09-01", TokenUsage(input=1), finished=True) is None
    assert ledger.finish().unpriced == ["x"]


def test_the_file_is_json_and_holds_what_is_returned(tmp_path: Path) -> None:
    ledger = ledger_in(tmp_path)
    for name in ("a", "b"):
        ledger.close_session(SessionTruth(name, {"cwd": "/é"}))
    truth = ledger.finish()
    written = json.loads((tmp_path / "truth.json").read_bytes())

    assert list(written["sessions"]) == ["a", "b"]
    assert (written["totals"], written["counts"]) == (truth.totals, truth.counts)
