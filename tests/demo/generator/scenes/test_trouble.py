from __future__ import annotations

import pytest

from tests.demo.generator.made import Made, texts


def test_a_broken_off_answer_has_no_ending(made: Made) -> None:
    assert "[Request interrupted by user]" in texts(made.lines("interruption"))
    assert made.session("interruption")["total"]["lowerBound"] == 1


@pytest.mark.parametrize(
    ("trap", "state"),
    [
        ("interrupted_tool", "interrupted"),
        ("rejected_tool", "rejected"),
        ("failed_tool", "error"),
        ("lost_result", "no_result"),
    ],
)
def test_a_call_ends_as_its_scene_says(made: Made, trap: str, state: str) -> None:
    assert state in made.states(trap)


@pytest.mark.parametrize("trap", ["interrupted_tool", "rejected_tool"])
def test_a_stopped_call_is_followed_by_the_users_word(made: Made, trap: str) -> None:
    assert "[Request interrupted by user for tool use]" in texts(made.lines(trap))


def test_a_rejection_is_told_in_words(made: Made) -> None:
    results = [line.get("toolUseResult") for line in made.lines("rejected_tool")]

    assert "User rejected tool use" in results


def test_a_result_is_written_twice_and_one_has_no_call(made: Made) -> None:
    content = [
        line["message"]["content"]
        for line in made.lines("repeated_result")
        if line["type"] == "user"
    ]
    results = [each[0]["tool_use_id"] for each in content if isinstance(each, list)]

    assert len(results) - len(set(results)) == 1
    assert len(set(results) - made.session("repeated_result")["tools"].keys()) == 1


# format 6
def test_an_api_error_is_retried_and_then_written_by_the_client(made: Made) -> None:
    lines = made.lines("api_error")
    retries = [line["retryAttempt"] for line in lines if line.get("subtype") == "api_error"]
    errors = [line for line in lines if line.get("isApiErrorMessage")]

    assert retries == [1, 2]
    assert errors[0]["message"]["model"] == "<synthetic>"


def test_a_filler_line_is_no_error(made: Made) -> None:
    lines = [line for line in made.lines("synthetic_filler") if line["type"] == "assistant"]
    filler = next(line for line in lines if line["message"]["model"] == "<synthetic>")

    assert filler["isApiErrorMessage"] is False
