"""One sum behind every figure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.reads import messages_of
from tests.derive.usage.books import TABLE, response, responses_of
from unspool.demo import Transcript
from unspool.derive.usage.metrics import UsageSum, summed
from unspool.derive.usage.prices import Pricer
from unspool.model.document import Metrics
from unspool.model.usage import Mode, UsageRow


def priced(transcript: Transcript) -> list[UsageRow]:
    price = Pricer(TABLE).price_of
    return [row._replace(usd_pico=price(row)) for row in responses_of(transcript)]


# devtools 11
def test_three_lines_of_one_request_count_once_but_are_three_messages() -> None:
    transcript = Transcript().answers(["a"], outputs=[1, 1, 50])
    messages = messages_of(transcript)

    found = summed(priced(transcript), message_count=len(messages))

    assert (found.input_tokens, found.output_tokens, found.message_count) == (10, 50, 3)


# devtools 14
def test_no_responses_are_all_zeros() -> None:
    assert summed([]) == Metrics(cost_usd=0.0)


# devtools 15
def test_the_total_counts_all_four_kinds_of_token() -> None:
    found = summed([response(input=100, output=50, cache_read=25, cache_write=10)])

    assert found.total_tokens == 185


# devtools 98
@pytest.mark.parametrize("mode", ["billing", "devtools"])
def test_each_model_has_its_own_rate(mode: Mode) -> None:
    models = ("claude-sonnet-4-5", "claude-opus-4-1")
    both = [response(model, mode=mode, input=1000, output=500) for model in models]

    assert summed(both).cost_usd == 0.063


# devtools 99
def test_an_unknown_model_is_named_and_nothing_is_made_up() -> None:
    found = summed([response("gpt-5", output=500), response("gpt-5", output=1)])

    assert (found.cost_usd, found.unpriced, found.output_tokens) == (None, ("gpt-5",), 501)


def test_beside_a_known_model_the_sum_is_partial_and_says_so() -> None:
    found = summed([response("gpt-5", output=500), response(output=1000)])

    assert (found.cost_usd, found.unpriced) == (0.015, ("gpt-5",))


# format 17
def test_a_response_without_a_model_is_counted_and_listed() -> None:
    transcript = Transcript().says("a", id=Transcript.ABSENT, model=Transcript.ABSENT)

    found = summed(priced(transcript))

    assert (found.input_tokens, found.cost_usd, found.unpriced) == (10, None, ("unknown",))


def test_a_free_model_costs_nothing_and_is_priced() -> None:
    found = summed([response("free", output=500)])

    assert (found.cost_usd, found.unpriced) == (0.0, ())


# format 5
def test_one_unfinished_response_makes_the_sum_a_lower_bound() -> None:
    whole, cut = response(output=5), response(output=1, finished=False)

    assert [summed(some).lower_bound for some in ([whole], [whole, cut])] == [False, True]


def test_cache_writes_are_told_by_how_long_they_live() -> None:
    found = summed([response(cache_write=10, write_5m=3, write_1h=6)] * 2)

    writes = (found.cache_creation_tokens, found.ephemeral5m_tokens, found.ephemeral1h_tokens)
    assert writes == (20, 6, 12)


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
def test_merging_two_sums_is_the_sum_of_both(some: list[UsageRow], more: list[UsageRow]) -> None:
    one, other = UsageSum(), UsageSum()
    for row in some:
        one.add(row)
    for row in more:
        other.add(row)
    one.merge(other)

    assert one.metrics() == summed(some + more)


@given(RESPONSES, RESPONSES)
def test_what_is_taken_out_again_was_never_there(
    some: list[UsageRow], more: list[UsageRow]
) -> None:
    total = UsageSum()
    for row in some + more:
        total.add(row)
    for row in more:
        total.add(row, -1)

    assert total.metrics() == summed(some)
