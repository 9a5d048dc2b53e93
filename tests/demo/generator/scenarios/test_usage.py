from __future__ import annotations

from typing import Any

import pytest

from tests.demo.generator.made import PRICES, Made, responses
from unspool.demo.generator.truth import PriceList, TokenUsage


def usages(made: Made, trap: str) -> list[Any]:
    found = responses(made.lines(trap))
    return [message["usage"] for each in found.values() for message in each]


# format 1
def test_a_response_streams_one_one_and_two_hundred_and_sixty(made: Made) -> None:
    found = responses(made.lines("streamed")).values()
    outputs = [[message["usage"]["output_tokens"] for message in each] for each in found]

    assert [1, 1, 260] in outputs


def test_a_response_was_never_finished(made: Made) -> None:
    assert made.session("never_finished")["total"]["lowerBound"] == 1


# format 2
def test_one_line_of_a_response_has_no_request(made: Made) -> None:
    lines = [line for line in made.lines("missing_request") if line["type"] == "assistant"]
    bare = [line["message"]["id"] for line in lines if "requestId" not in line]

    assert bare[0] in {line["message"]["id"] for line in lines if "requestId" in line}


def test_a_response_passes_midnight(made: Made) -> None:
    days: dict[str, set[str]] = {}
    for line in made.lines("midnight"):
        if line["type"] == "assistant":
            days.setdefault(line["message"]["id"], set()).add(line["timestamp"][:10])

    assert 2 in map(len, days.values())


# format 17
def test_a_gateways_model_has_no_price(made: Made) -> None:
    held = made.session("third_party")["total"]

    assert held["unpriced"] == 2
    assert any(name.startswith("gen-") for name in responses(made.lines("third_party")))


def test_a_response_may_have_no_name_at_all(made: Made) -> None:
    lines = [line for line in made.lines("no_message_id") if line["type"] == "assistant"]
    bare = [line for line in lines if "id" not in line["message"]]

    assert [("requestId" in line) for line in bare] == [True, True, False]


def test_a_cloud_renames_a_priced_model(made: Made) -> None:
    name = "us.anthropic.claude-haiku-4-5-20251001-v1:0"

    assert made.truth.models[name]["usdPico"] > 0


def test_a_response_changes_its_model_half_way(made: Made) -> None:
    found = responses(made.lines("changed_model")).values()
    models = [[message["model"] for message in each] for each in found]

    assert ["claude-sonnet-4-6", "claude-opus-4-8"] in models
    assert made.truth.models["claude-opus-4-8"]["messages"] > 0


def test_a_tool_prints_usage_that_is_not_ours(made: Made) -> None:
    assert b"msg_01quoted" in made.raw("quoted_usage")
    assert made.session("quoted_usage")["total"]["inputTokens"] < 1_000


def test_a_usage_lists_parts_that_are_not_added(made: Made) -> None:
    assert any("iterations" in usage for usage in usages(made, "iterations"))


def test_a_write_of_nought_has_parts_that_are_right(made: Made) -> None:
    wrong = [
        usage
        for usage in usages(made, "zero_write")
        if usage["cache_creation_input_tokens"] < sum(usage["cache_creation"].values())
    ]

    assert wrong[0]["cache_creation"]["ephemeral_5m_input_tokens"] == 4_000


def test_writes_have_two_lifetimes_and_a_rest(made: Made) -> None:
    total = made.session("both_writes")["total"]

    assert total["unsplitWriteTokens"] == 500
    assert total["ephemeral5mTokens"] >= 1_000
    assert total["ephemeral1hTokens"] >= 2_000


# format 14
@pytest.mark.parametrize(
    ("trap", "limit", "tiered"),
    [
        ("opus_4_6_long", 200_000, True),
        ("opus_4_6_flat", 200_000, False),
        ("sonnet_4_5_long", 200_000, True),
        ("haiku_5_5", 100_000, True),
    ],
)
def test_prompts_lie_on_both_sides_of_a_limit(
    made: Made, trap: str, limit: int, tiered: bool
) -> None:
    kinds = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    prompts = {sum(usage[kind] for kind in kinds) for usage in usages(made, trap)}
    line = next(line for line in made.lines(trap) if line["type"] == "assistant")
    day, model = line["timestamp"][:10], line["message"]["model"]
    below, above = (
        PriceList(PRICES).cost(model, day, TokenUsage(read=limit + n)) or 0 for n in (0, 1)
    )

    assert {limit, limit + 1} <= prompts
    assert (above > below * 3 // 2) == tiered


@pytest.mark.parametrize("trap", ["fast_times_6", "fast_times_2", "fast_withdrawn"])
def test_a_response_is_fast(made: Made, trap: str) -> None:
    assert "fast" in {usage.get("speed") for usage in usages(made, trap)}


def test_a_response_is_served_in_the_states(made: Made) -> None:
    assert "us" in {usage.get("inference_geo") for usage in usages(made, "united_states")}
