"""One sum behind every figure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.money.books import TABLE, response, responses_of
from tests.derive.reads import messages_of
from unspool.demo import Transcript
from unspool.derive.money.metrics import add, duration, metrics
from unspool.derive.reading.clock import millis
from unspool.model.document import Metrics
from unspool.model.usage import Mode, Response


# devtools 11
def test_three_lines_of_one_request_count_once_but_are_three_messages() -> None:
    transcript = Transcript().answers(["a"], outputs=[1, 1, 50])
    messages = messages_of(transcript)

    found = metrics(responses_of(transcript), TABLE, message_count=len(messages))

    assert (found.input_tokens, found.output_tokens, found.message_count) == (10, 50, 3)


# devtools 14
def test_no_responses_are_all_zeros() -> None:
    assert metrics([], TABLE) == Metrics(cost_usd=0.0)


# devtools 15
def test_the_total_counts_all_four_kinds_of_token() -> None:
    found = metrics([response(input=100, output=50, cache_read=25, cache_write=10)], TABLE)

    assert found.total_tokens == 185


# devtools 16
@pytest.mark.parametrize(
    ("minutes", "expected"), [((0, 1, 2), 120_000), ((2, 0, 1), 120_000), ((0,), 0), ((), 0)]
)
def test_a_duration_runs_from_the_first_time_to_the_last(
    minutes: tuple[int, ...], expected: int
) -> None:
    times = [millis(f"2026-01-01T10:0{minute}:00.000Z") for minute in minutes]

    assert duration([None, *times]) == expected


# devtools 98
@pytest.mark.parametrize("mode", ["billing", "devtools"])
def test_each_model_has_its_own_rate(mode: Mode) -> None:
    both = [response("claude-sonnet-4-5", input=1000, output=500)]
    both += [response("claude-opus-4-1", input=1000, output=500)]

    assert metrics(both, TABLE, mode).cost_usd == 0.063


# devtools 99
def test_an_unknown_model_is_named_and_nothing_is_made_up() -> None:
    found = metrics([response("gpt-5", output=500), response("gpt-5", output=1)], TABLE)

    assert (found.cost_usd, found.unpriced, found.output_tokens) == (None, ("gpt-5",), 501)


def test_beside_a_known_model_the_sum_is_partial_and_says_so() -> None:
    found = metrics([response("gpt-5", output=500), response(output=1000)], TABLE)

    assert (found.cost_usd, found.unpriced) == (0.015, ("gpt-5",))


# format 17
def test_a_response_without_a_model_is_counted_and_listed() -> None:
    transcript = Transcript().says("a", id=Transcript.ABSENT, model=Transcript.ABSENT)

    found = metrics(responses_of(transcript), TABLE)

    assert (found.input_tokens, found.cost_usd, found.unpriced) == (10, None, ("unknown",))


def test_a_free_model_costs_nothing_and_is_priced() -> None:
    found = metrics([response("free", output=500)], TABLE)

    assert (found.cost_usd, found.unpriced) == (0.0, ())


# format 5
def test_one_unfinished_response_makes_the_sum_a_lower_bound() -> None:
    whole, cut = response(output=5), response(output=1, finished=False)

    assert [metrics(some, TABLE).lower_bound for some in ([whole], [whole, cut])] == [False, True]


def test_cache_writes_are_told_by_how_long_they_live() -> None:
    found = metrics([response(cache_write=10, write_5m=3, write_1h=6)] * 2, TABLE)

    writes = (found.cache_creation_tokens, found.ephemeral5m_tokens, found.ephemeral1h_tokens)
    assert writes == (20, 6, 12)


def test_parts_that_ran_at_once_last_as_long_as_the_longest() -> None:
    assert add(Metrics(duration_ms=5), Metrics(duration_ms=7)).duration_ms == 7


RESPONSES = st.lists(
    st.builds(
        response,
        st.sampled_from(["claude-opus-4-1", "claude-sonnet-4-5", "free", "gpt-5", "llama"]),
        finished=st.booleans(),
        input=st.integers(0, 300_000),
        output=st.integers(0, 9),
        cache_write=st.integers(0, 9),
    ),
    max_size=4,
)


@given(RESPONSES, RESPONSES)
def test_adding_two_sums_is_the_sum_of_both(some: list[Response], more: list[Response]) -> None:
    parts = metrics(some, TABLE, message_count=2), metrics(more, TABLE, message_count=3)

    assert add(*parts) == metrics(some + more, TABLE, message_count=5)
