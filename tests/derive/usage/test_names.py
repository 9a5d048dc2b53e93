"""A model is priced under any of its names, and under no other."""

import pytest

from unspool.derive.usage.names import find, same

PRICES = {"claude-sonnet-4": "plain", "claude-sonnet-4-20250514": "dated", "My-Model": "mine"}
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
    assert find(model, PRICES, ALIASES) == "plain"


@pytest.mark.parametrize("model", ["claude-sonnet-4-20250514", "claude-sonnet-4@20250514"])
def test_the_name_nearest_to_the_written_one_wins(model: str) -> None:
    assert find(model, PRICES, ALIASES) == "dated"


@pytest.mark.parametrize("model", ["", "gpt-5", "claude-sonnet-4-turbo", "not-claude-sonnet-4"])
def test_another_model_is_not_found(model: str) -> None:
    assert find(model, PRICES, ALIASES) is None


# devtools 99
def test_case_does_not_matter() -> None:
    assert (find("my-MODEL", PRICES, {}), same("MY-model", PRICES)) == ("mine", "mine")


def test_the_exact_name_comes_before_one_that_differs_in_case() -> None:
    prices = {"a": "small", "A": "large"}

    assert (same("a", prices), find("a", prices, {})) == ("small", "small")


def test_claude_devtools_strips_nothing() -> None:
    assert same("claude-sonnet-4[1m]", PRICES) is None
