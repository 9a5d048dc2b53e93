"""What the lines of one file say about responses: each response once, by its best line."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.usage.books import LATER, LINES, NOON, line, responses_of, usage_of
from unspool.demo import Transcript
from unspool.derive.usage.file_usage import FileUsage, UsageReader, message_key
from unspool.derive.usage.responses import is_reported, is_used, merge_usage
from unspool.model.message import Message
from unspool.model.transcript import Assistant
from unspool.model.usage import UNKNOWN_AGENT, OwnedUsage, Tokens, UsageRow

TWO_BLOCKS = ["thinking out loud", "the answer"]
ENTRY = Assistant()


def usage(**counts: int) -> dict[str, int]:
    return {"input_tokens": 10, "output_tokens": 5, **counts}


def rows_of(*lines: Message) -> list[UsageRow]:
    made = FileUsage("s1")
    for one in lines:
        made.feed(one, ENTRY)
    return list(made.rows.values())


def model_of(*lines: Message) -> str:
    return rows_of(*lines)[0].model


# format 1
def test_a_response_streamed_over_three_lines_counts_its_final_output_once() -> None:
    (row,) = responses_of(Transcript().answers(["a"], outputs=[1, 1, 260], stops=[None] * 3))

    assert (row.tokens.output, row.tokens.input) == (260, 10)


# format 2
def test_a_line_without_a_request_id_is_the_same_response() -> None:
    transcript = Transcript().says("a", id="msg_9").says("a", id="msg_9", request=Transcript.ABSENT)

    assert [row.message_key for row in responses_of(transcript)] == ["m:msg_9"]


def test_without_a_message_id_the_request_names_the_response() -> None:
    transcript = Transcript().answers(TWO_BLOCKS, id=Transcript.ABSENT)

    assert [row.message_key for row in responses_of(transcript)] == ["r:req_1"]


# format 17
def test_lines_without_any_id_of_the_api_each_count() -> None:
    bare = {"id": Transcript.ABSENT, "request": Transcript.ABSENT, "model": Transcript.ABSENT}
    found = responses_of(Transcript().says("a", **bare).says("b", **bare))

    assert [(row.message_key, row.model) for row in found] == [("u:u1", ""), ("u:u2", "")]


def test_lines_without_even_a_uuid_are_told_apart_by_their_place() -> None:
    lines = [line(5, message_id="", line=number, part=part) for number, part in ((1, 0), (2, 1))]
    reader = UsageReader("s1", "", 7)
    keys = [row.message_key for one in lines for row in reader.rows(one, ENTRY, 0)]

    assert keys == ["l:7:1.0", "l:7:2.1"]
    assert [message_key(one) for one in lines] == ["", ""]


# format 5
def test_a_subagent_response_that_never_stops_is_unfinished() -> None:
    transcript = Transcript(agent="a1").says("cut", stop=None).says("whole")

    assert [row.is_finished for row in responses_of(transcript)] == [False, True]


def test_one_line_with_a_stop_reason_finishes_a_response() -> None:
    transcript = Transcript().answers(TWO_BLOCKS, stops=["end_turn", None])

    assert responses_of(transcript)[0].is_finished


# format 6
def test_lines_the_client_wrote_itself_are_no_responses() -> None:
    transcript = Transcript().synthetic("No response requested.").synthetic("down", "server_error")

    assert responses_of(transcript) == []


# devtools 102
def test_synthetic_usage_is_ignored_even_where_it_has_tokens() -> None:
    transcript = Transcript().says("a", model="<synthetic>", usage=usage(output_tokens=900))

    assert responses_of(transcript) == []


# peers 3
def test_the_calls_of_one_turn_are_summed_by_unique_message() -> None:
    turn = Transcript().user("go").answers(TWO_BLOCKS, usage=usage(input_tokens=3))
    turn.calls("Bash", {"command": "ls"}, usage=usage(input_tokens=4)).returns("x").says("done")

    assert sum(row.tokens.input for row in responses_of(turn)) == 3 + 4 + 10


def test_the_largest_output_is_kept_with_its_own_line() -> None:
    transcript = Transcript().says("a", id="m", model="claude-opus-4-1", usage=usage())
    transcript.says("a", id="m", usage=usage(input_tokens=2, output_tokens=99))
    transcript.says("a", id="m", model="claude-opus-4-1", usage=usage(input_tokens=50))

    (row,) = responses_of(transcript)

    assert (row.model, row.tokens.input) == ("claude-sonnet-4-6", 2)


def test_with_equal_outputs_the_main_thread_is_kept() -> None:
    main = line(5, model="main")
    side = line(5, model="side", is_sidechain=True, stop_reason="end_turn", at=LATER)

    assert {model_of(*order) for order in permutations((main, side))} == {"main"}


def test_with_equal_threads_the_line_that_stopped_is_kept() -> None:
    stopped = line(5, model="stopped", stop_reason="end_turn")
    later = line(5, model="later", at=LATER)

    assert {model_of(*order) for order in permutations((stopped, later))} == {"stopped"}


def test_else_the_later_line_is_kept() -> None:
    lines = [line(5, model=str(at), at=at) for at in (None, NOON, LATER)]

    assert {model_of(*order) for order in permutations(lines)} == {str(LATER)}


def test_what_a_dropped_line_says_is_not_held_for_the_one_that_is_kept() -> None:
    first, small = line(5, model="first"), line(4, stop_reason="end_turn")

    assert model_of(first, small, line(5, model="later", at=LATER)) == "later"


def test_a_response_is_as_old_as_its_earliest_line() -> None:
    transcript = Transcript(start="2026-01-01T23:59:59.000Z").answers(TWO_BLOCKS)

    assert responses_of(transcript)[0].timestamp == 1_767_311_999_000


def test_a_time_that_is_missing_does_not_hide_one_that_is_known() -> None:
    assert rows_of(*(line(5, at=at) for at in (None, NOON, None)))[0].timestamp == NOON


def test_a_response_stands_where_its_first_line_does() -> None:
    found = responses_of(Transcript().user("go").answers(TWO_BLOCKS).says("more"))

    assert [row.line_id for row in found] == [2, 4]


# devtools 14
def test_a_line_without_usage_is_no_response_and_one_without_counts_is_all_zeros() -> None:
    transcript = Transcript().says("a", usage=False).says("b", usage={})

    assert [row.tokens for row in responses_of(transcript)] == [Tokens()]


def test_what_an_agent_used_is_its_own_also_inside_a_main_file() -> None:
    inside = Transcript().says("a", isSidechain=True, agentId="a1")
    own = usage_of(Transcript(agent="a2").says("b"), agent="a2")

    assert [row.agent_id for row in responses_of(inside)] == ["a1"]
    assert {row.agent_id for row in own.rows.values()} == {"a2"}


def test_a_line_that_names_an_agent_and_is_no_sidechain_is_the_main_threads() -> None:
    assert [row.agent_id for row in responses_of(Transcript().says("a", agentId="a1"))] == [""]


def test_a_copy_names_the_session_it_is_of() -> None:
    fork = {"forkedFrom": {"sessionId": "s0", "messageUuid": "u0"}}
    made = Transcript("s1").says("a", id="1", **fork).says("b", id="2", sessionId="s9")

    assert usage_of(made.says("c", id="3"), "s1").origins == {"m:1": "s0", "m:2": "s9"}


def test_it_hands_on_the_responses_that_changed_since() -> None:
    made = FileUsage("s1")
    made.feed(line(1), ENTRY)
    made.feed(line(9), ENTRY)

    assert [row.tokens.output for row in made.drain()] == [9]
    assert made.drain() == []
    made.feed(line(4), ENTRY)
    assert [row.tokens.output for row in made.drain()] == [9]


@given(st.lists(LINES, max_size=12))
def test_the_fold_keeps_the_line_that_sorting_all_of_them_puts_last(lines: list[Message]) -> None:
    groups: dict[str, list[Message]] = {}
    for one in lines:
        groups.setdefault(one.message_id or one.request_id or one.uuid, []).append(one)

    best = [max(group, key=order) for group in groups.values()]

    found = [(row.tokens, row.model) for row in rows_of(*lines)]
    assert found == [(one.tokens, one.model) for one in best]


def order(one: Message) -> tuple[object, ...]:
    tokens = one.tokens or Tokens()
    when = (not one.is_sidechain, bool(one.stop_reason), -1 if one.at is None else one.at)
    return (tokens.output, *when, one.model, tokens)


REPORTED = {
    "type": "assistant",
    "timestamp": "2026-01-05T10:00:09.000Z",
    "uuid": "a-1",
    "requestId": "req_9",
    "message": {"id": "msg_9", "model": "claude-opus-4-6", "usage": {"output_tokens": 7}},
}


def reports(message: object, kind: str = "agent_progress", agent: str = "a1") -> list[UsageRow]:
    """The rows of a session whose one progress line has this of an agent."""
    made = Transcript("s1").user("go")
    return responses_of(made.progress(kind, call="t1", agentId=agent, message=message))


def test_an_answer_that_a_progress_line_reports_is_the_agents_and_unfinished() -> None:
    (row,) = reports(REPORTED)

    assert (row.message_key, row.agent_id, row.tokens.output) == ("m:msg_9", "a1", 7)
    assert not row.is_finished
    assert is_reported(row)


def test_any_line_of_its_own_owns_an_answer_rather_than_a_report() -> None:
    (told,) = reports(REPORTED)
    late = Transcript("s1", agent="a1", start="2027-01-01T00:00:00Z").says("x", id="msg_9")
    (own,) = responses_of(late)
    one, other = OwnedUsage("p", "s1", told), OwnedUsage("q", "s2", own)

    assert merge_usage(one, other)[:2] == merge_usage(other, one)[:2] == ("q", "s2")
    assert not is_reported(merge_usage(one, other).row)


@pytest.mark.parametrize(
    "message",
    [
        None, 5, "text", [], {}, {"type": "assistant"}, {**REPORTED, "type": "user"},
        {**REPORTED, "message": 5}, {**REPORTED, "message": {"usage": []}},
        {**REPORTED, "message": {"id": "m", "usage": {"output_tokens": -1}}},
        {**REPORTED, "message": {**REPORTED["message"], "model": "<synthetic>"}},  # type: ignore[dict-item]
        {"type": "assistant", "message": {"usage": {"output_tokens": 5}}},
    ],
)  # fmt: skip
def test_a_progress_line_that_reports_no_answer_counts_nothing(message: object) -> None:
    assert reports(message) == []


def test_a_report_that_names_no_agent_or_is_of_another_kind_counts_nothing() -> None:
    assert reports(REPORTED, agent="") == reports(REPORTED, "bash_progress") == []


@pytest.mark.parametrize(("count", "found"), [(3, [3]), (0, []), (-1, []), (10**9, []), ("3", [])])
def test_a_web_search_counts_as_its_result_says(count: object, found: list[int]) -> None:
    made = Transcript("s1").user("go").calls("WebSearch", {"query": "q"}, id="t1", usage=False)
    made.returns("found", call="t1", result={"query": "q", "searchCount": count})
    rows = [row for row in responses_of(made) if row.message_key == "w:t1"]

    assert [row.tokens.web_searches for row in rows] == found


def agents_of(made: Transcript, agent: str = "") -> dict[str, bool]:
    """The agents that a file tells of, each with whether what it used is told."""
    rows = usage_of(made, "s1", agent=agent).rows.values()
    return {row.agent_id: not is_used(row) for row in rows if row.model == UNKNOWN_AGENT}


def started(agent: object, **fields: object) -> Transcript:
    """A session with the result of a call that says this of an agent."""
    made = Transcript("s1").user("go").calls("Agent", {"prompt": "look"}, id="t1")
    return made.returns("seen", call="t1", result={"agentId": agent, **fields})


@pytest.mark.parametrize("status", ["completed", "async_launched", "forked"])
def test_an_agent_that_a_result_names_ran_and_what_it_used_is_not_told(status: str) -> None:
    assert agents_of(started("a1", status=status, totalTokens=9)) == {"a1": False}


@pytest.mark.parametrize("fields", [{}, {"status": "teammate_spawned"}, {"status": "error"}])
def test_a_result_that_does_not_say_that_an_agent_ran_tells_of_none(fields: dict[str, str]) -> None:
    assert agents_of(started("a1", **fields)) == agents_of(started(None, status="completed")) == {}


def test_an_id_in_the_text_of_a_result_tells_of_no_agent() -> None:
    made = Transcript("s1").user("go").calls("Bash", command="cat", id="t1")

    assert agents_of(made.returns("agentId: a1", call="t1")) == {}


def test_an_agents_own_file_tells_what_it_used_before_it_has_answered() -> None:
    assert agents_of(Transcript("s1", agent="a1").user("look"), agent="a1") == {"a1": True}


def test_an_agent_that_answers_inside_the_main_file_is_told() -> None:
    made = started("a1", status="completed").says("seen", isSidechain=True, agentId="a1")

    assert agents_of(made) == {"a1": True}


def test_progress_without_an_answer_tells_that_an_agent_ran_and_a_report_what_it_used() -> None:
    made = Transcript("s1").user("go")
    made.progress("agent_progress", call="t1", agentId="a1", message={"type": "user"})
    made.progress("agent_progress", call="t1", agentId="a2", message={"type": "user"})

    assert agents_of(made) == {"a1": False, "a2": False}
    made.progress("agent_progress", call="t1", agentId="a2", message=REPORTED)
    assert agents_of(made) == {"a1": False, "a2": True}


def test_an_agent_is_not_settled_because_another_file_may_tell_of_it() -> None:
    made = started("a1", status="completed")
    for n in range(200):
        made.says("x", id=f"m{n}")
    usage = usage_of(made, "s1")

    assert usage.settle(lambda key: True)
    assert "a:a1" in usage.rows
