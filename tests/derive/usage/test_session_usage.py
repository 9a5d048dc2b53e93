from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.reads import messages_of
from tests.derive.usage.books import TABLE, response, responses_of, usage_of
from tests.derive.wholes import responses
from tests.engine.roots import PRICES
from unspool.demo import Transcript
from unspool.derive.usage.file_usage import FileUsage
from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.responses import known_agent, merge_rows, unknown_agent
from unspool.derive.usage.session_usage import SessionUsage, UsageSum
from unspool.model.document import Metrics
from unspool.model.usage import Mode, OwnedUsage, Tokens, UsageRow

QUARTER = 900_000


def row(key: str, output: int, at: int = 0, **fields: Any) -> UsageRow:
    tokens, rank = Tokens(1, output), bytes([output])
    made = UsageRow(key, rank, b"1", at, True, "claude-sonnet-4-5", tokens, "", 0)
    return made._replace(**fields)


def running(rows: list[UsageRow]) -> SessionUsage:
    made = SessionUsage(Pricer(TABLE))
    for one in rows:
        made.put(one)
    return made


def priced(rows: list[UsageRow]) -> list[UsageRow]:
    price = Pricer(TABLE).price_of
    return [one._replace(usd_pico=price(one)) for one in rows]


def sum_usage(rows: Iterable[UsageRow], *, message_count: int = 0) -> Metrics:
    """Sum priced responses."""
    total = UsageSum()
    for one in rows:
        total.add(one)
    return total.metrics(message_count=message_count)


ROWS = st.builds(
    row,
    st.sampled_from(["m:1", "m:2", "m:3"]),
    st.integers(0, 3),
    st.sampled_from([0, QUARTER - 1, QUARTER, 5 * QUARTER]),
    model=st.sampled_from(["claude-sonnet-4-5", "nobody"]),
    is_finished=st.booleans(),
    claim=st.sampled_from([b"1", b"2"]),
)


@given(st.lists(ROWS, max_size=12), st.sets(st.sampled_from(["m:1", "m:2", "m:9"])))
def test_a_running_sum_is_the_sum_of_what_is_owned(rows: list[UsageRow], foreign: set[str]) -> None:
    made = running(rows[:6])
    made.correct(foreign)
    for one in rows[6:]:
        made.put(one)
    made.correct(foreign)
    whole = merge_rows(OwnedUsage("", "", one) for one in rows)
    own = priced([one.row for key, one in whole.items() if key not in foreign])

    assert made.total == sum_usage(own)
    others = priced([one.row for key, one in whole.items() if key in foreign])
    assert (made.repeated.metrics(), len(made.foreign)) == (sum_usage(others), len(others))
    later = [one for one in own if (one.timestamp or 0) >= QUARTER]
    assert made.since(QUARTER) == sum_usage(later)


def credited(files: list[FileUsage]) -> list[UsageRow]:
    """The responses of all files, by who is charged for them."""
    made = SessionUsage(Pricer(TABLE))
    for file in files:
        made.put_all(file.drain())
    return [row for agent in sorted(made.agents) for row in responses(made, agent)]


def test_however_late_a_line_comes_it_counts() -> None:
    made = running([row(f"m:{n}", 1) for n in range(600)])
    made.put(row("m:0", 200))

    assert made.total.output_tokens == 599 + 200


def test_a_line_written_again_counts_once() -> None:
    rows = [row(f"m:{n}", 1) for n in range(600)]

    assert running([*rows, *rows[:20]]).total == running(rows).total


def test_what_only_an_earlier_version_of_a_file_told_is_paid_all_the_same() -> None:
    made = running([row("m:1", 5)])
    made.correct((), [row("m:0", 7)])
    assert made.total.output_tokens == 12

    made.correct((), [])
    assert made.total.output_tokens == 5


def test_what_another_session_owns_comes_back_when_it_does_not_any_more() -> None:
    made = running([row("m:1", 5), row("m:2", 7)])
    made.correct(["m:1"])
    assert made.total.output_tokens == 7
    made.correct([])

    assert made.total.output_tokens == 12


def test_a_price_is_of_the_earliest_line_whichever_comes_first() -> None:
    day = 1_773_360_000_000  # 2026-03-13, when long prompts became cheaper
    long = {"model": "claude-sonnet-4-6", "tokens": Tokens(300_000)}
    lines = [row("m:1", 1, day, **long), row("m:1", 0, day - 1, **long)]

    assert running(lines).total == running(lines[::-1]).total
    assert running(lines).total.cost_usd == 1.8


# format 4
def test_a_response_that_two_agents_tell_is_of_the_one_that_had_it_first() -> None:
    """Its file began first; the name decides nothing."""
    first = Transcript(agent="zz", start="2026-01-01T00:00:01.000Z").user("one").says("x", id="m")
    copy = Transcript(agent="aa", start="2026-01-01T00:00:01.500Z").user("two")
    copy.raw(first.bytes().splitlines()[1])
    files = [usage_of(copy, agent="aa"), usage_of(first, agent="zz")]

    turned = [usage_of(first, agent="zz"), usage_of(copy, agent="aa")]
    assert [one.agent_id for one in credited(files)] == ["zz"]
    assert [one.agent_id for one in credited(turned)] == ["zz"]


def test_the_main_thread_owns_what_an_agent_has_at_the_same_time() -> None:
    files = [usage_of(Transcript(agent="a1").says("one"), agent="a1")]
    files.append(usage_of(Transcript().says("one")))

    assert [one.agent_id for one in credited(files)] == [""]


def test_the_owner_gets_the_best_copy_at_its_own_line() -> None:
    cut = Transcript(agent="a1").user("go").says("one", id="m", stop=None)
    whole = Transcript("s2", start="2026-02-01T00:00:00.000Z")
    whole.says("one", id="m", usage={"output_tokens": 99})

    (one,) = credited([usage_of(whole), usage_of(cut, agent="a1")])

    assert (one.tokens.output, one.line_id, one.agent_id, one.is_finished) == (99, 2, "a1", True)


def test_the_same_line_number_in_two_files_is_two_responses() -> None:
    bare = {key: Transcript.ABSENT for key in ("id", "request", "uuid")}
    files = [usage_of(Transcript().says("one", **bare), agent=agent) for agent in ("", "a1")]

    assert [one.message_key for one in credited(files)] == ["l::1.0", "l:a1:1.0"]


def test_a_whole_transcript_comes_to_what_its_responses_do() -> None:
    made = Transcript().user("go").answers(["a", "b"], outputs=[1, 9]).says("c")
    running = SessionUsage(Pricer(PRICES))
    for one in responses_of(made):
        running.put(one)

    assert running.total.output_tokens == 9 + 5


def priced_lines(transcript: Transcript) -> list[UsageRow]:
    price = Pricer(TABLE).price_of
    return [row._replace(usd_pico=price(row)) for row in responses_of(transcript)]


# devtools 11
def test_three_lines_of_one_request_count_once_but_are_three_messages() -> None:
    transcript = Transcript().answers(["a"], outputs=[1, 1, 50])
    messages = messages_of(transcript)

    found = sum_usage(priced_lines(transcript), message_count=len(messages))

    assert (found.input_tokens, found.output_tokens, found.message_count) == (10, 50, 3)


# devtools 14
def test_no_responses_are_all_zeros() -> None:
    assert sum_usage([]) == Metrics(cost_usd=0.0)


# devtools 15
def test_the_total_counts_all_four_kinds_of_token() -> None:
    found = sum_usage([response(input=100, output=50, cache_read=25, cache_write=10)])

    assert found.total_tokens == 185


# devtools 98
@pytest.mark.parametrize("mode", ["billing", "devtools"])
def test_each_model_has_its_own_rate(mode: Mode) -> None:
    models = ("claude-sonnet-4-5", "claude-opus-4-1")
    both = [response(model, mode=mode, input=1000, output=500) for model in models]

    assert sum_usage(both).cost_usd == 0.063


# devtools 99
def test_an_unknown_model_is_named_and_nothing_is_made_up() -> None:
    found = sum_usage([response("gpt-5", output=500), response("gpt-5", output=1)])

    assert (found.cost_usd, found.unpriced, found.output_tokens) == (None, ("gpt-5",), 501)


def test_beside_a_known_model_the_sum_is_partial_and_says_so() -> None:
    found = sum_usage([response("gpt-5", output=500), response(output=1000)])

    assert (found.cost_usd, found.unpriced) == (0.015, ("gpt-5",))


# format 17
def test_a_response_without_a_model_is_counted_and_listed() -> None:
    transcript = Transcript().says("a", id=Transcript.ABSENT, model=Transcript.ABSENT)

    found = sum_usage(priced_lines(transcript))

    assert (found.input_tokens, found.cost_usd, found.unpriced) == (10, None, ("unknown",))


def test_a_free_model_costs_nothing_and_is_priced() -> None:
    found = sum_usage([response("free", output=500)])

    assert (found.cost_usd, found.unpriced) == (0.0, ())


# format 5
def test_one_unfinished_response_makes_the_sum_a_lower_bound() -> None:
    whole, cut = response(output=5), response(output=1, finished=False)

    assert [sum_usage(some).lower_bound for some in ([whole], [whole, cut])] == [False, True]


def test_cache_writes_are_told_by_how_long_they_live() -> None:
    found = sum_usage([response(cache_write=10, write_5m=3, write_1h=6)] * 2)

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

    assert one.metrics() == sum_usage(some + more)


@given(RESPONSES, RESPONSES)
def test_what_is_taken_out_again_was_never_there(
    some: list[UsageRow], more: list[UsageRow]
) -> None:
    total = UsageSum()
    for row in some + more:
        total.add(row)
    for row in more:
        total.add(row, -1)

    assert total.metrics() == sum_usage(some)


def test_an_agent_of_which_nothing_is_told_makes_the_sum_a_lower_bound_until_it_is() -> None:
    made = running([row("m:1", 5), unknown_agent("a1", b"1", 0)])

    assert (made.total.lower_bound, made.total.unpriced, made.unknown_agents) == (True, (), 1)
    assert made.agents["a1"].metrics().lower_bound
    made.put(known_agent("a1"))
    assert (made.total.lower_bound, made.unknown_agents) == (False, 0)


def test_an_agent_that_is_told_first_is_never_unknown() -> None:
    made = running([known_agent("a1"), unknown_agent("a1", b"1", 0)])

    assert (made.total.lower_bound, made.unknown_agents) == (False, 0)


def test_an_agent_that_another_session_started_is_not_repeated_once_it_is_told() -> None:
    made = running([row("m:1", 5), unknown_agent("a1", b"1", 0)])
    made.correct({"a:a1"})

    assert (made.foreign, made.total.lower_bound) == ({"a:a1"}, False)
    made.put(known_agent("a1"))
    made.correct({"a:a1"})
    assert (made.foreign, made.repeated.metrics().lower_bound) == (set(), False)
