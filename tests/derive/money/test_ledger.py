"""Each response is counted once, by its best line."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from tests.derive.money.books import LATER, LINES, NOON, line, responses_of
from unspool.demo import Transcript
from unspool.derive.money.ledger import Ledger, by_line
from unspool.model.message import Message, Tokens

TWO_BLOCKS = ["thinking out loud", "the answer"]


def usage(**counts: int) -> dict[str, int]:
    return {"input_tokens": 10, "output_tokens": 5, **counts}


# format 1
def test_a_response_streamed_over_three_lines_counts_its_final_output_once() -> None:
    (response,) = responses_of(Transcript().answers(["a"], outputs=[1, 1, 260], stops=[None] * 3))

    assert (response.tokens.output, response.tokens.input, response.lines) == (260, 10, 3)


# format 2
def test_a_line_without_a_request_id_is_the_same_response() -> None:
    transcript = Transcript().says("a", id="msg_9").says("a", id="msg_9", request=Transcript.ABSENT)

    (response,) = responses_of(transcript)

    assert (response.lines, response.request_id) == (2, "req_1")


# devtools 12
def test_lines_with_one_message_id_and_no_request_id_are_one_response() -> None:
    transcript = Transcript().answers(TWO_BLOCKS, request=Transcript.ABSENT)

    assert [one.tokens.input for one in responses_of(transcript)] == [10]


def test_without_a_message_id_the_request_id_says_what_is_one_response() -> None:
    transcript = Transcript().answers(TWO_BLOCKS, id=Transcript.ABSENT)

    assert [one.key for one in responses_of(transcript)] == ["r:req_1"]


# format 17
def test_lines_without_any_id_of_the_api_each_count() -> None:
    bare = {"id": Transcript.ABSENT, "request": Transcript.ABSENT, "model": Transcript.ABSENT}
    found = responses_of(Transcript().says("a", **bare).says("b", **bare))

    assert [(one.key, one.model) for one in found] == [("u:u1", ""), ("u:u2", "")]


def test_lines_without_even_a_uuid_are_told_apart_by_their_place() -> None:
    ledger = Ledger()
    for number, part in ((1, 0), (2, 0), (2, 1)):
        ledger.feed(line(5, message_id="", line=number, part=part))

    assert [one.key for one in ledger.responses()] == ["l:1.0", "l:2.0", "l:2.1"]


# format 5
def test_a_subagent_response_that_never_stops_is_unfinished() -> None:
    transcript = Transcript(agent="a1").says("cut", stop=None).says("whole")

    assert [one.finished for one in responses_of(transcript)] == [False, True]


def test_one_line_with_a_stop_reason_finishes_a_response() -> None:
    transcript = Transcript().answers(TWO_BLOCKS, stops=["end_turn", None])

    assert responses_of(transcript)[0].finished


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

    assert sum(one.tokens.input for one in responses_of(turn)) == 3 + 4 + 10


def test_the_largest_output_is_kept_with_its_own_line() -> None:
    transcript = Transcript().says("a", id="m", model="claude-opus-4-1", usage=usage())
    transcript.says("a", id="m", usage=usage(input_tokens=2, output_tokens=99))
    transcript.says("a", id="m", model="claude-opus-4-1", usage=usage(input_tokens=50))

    (response,) = responses_of(transcript)

    assert (response.model, response.tokens.input) == ("claude-sonnet-4-6", 2)


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


def model_of(*lines: Message) -> str:
    ledger = Ledger()
    for one in lines:
        ledger.feed(one)
    return ledger.responses()[0].model


def test_a_response_is_as_old_as_its_earliest_line() -> None:
    transcript = Transcript(start="2026-01-01T23:59:59.000Z").answers(TWO_BLOCKS)

    assert responses_of(transcript)[0].at == 1_767_311_999_000


def test_a_time_that_is_missing_does_not_hide_one_that_is_known() -> None:
    ledger = Ledger()
    for at in (None, NOON, None):
        ledger.feed(line(5, at=at))

    assert ledger.responses()[0].at == NOON


def test_a_response_with_a_copy_on_the_main_thread_is_no_sidechain() -> None:
    ledger = Ledger()
    for is_sidechain in (True, False):
        ledger.feed(line(5, is_sidechain=is_sidechain))

    assert not ledger.responses()[0].is_sidechain


def test_responses_are_found_by_their_first_line() -> None:
    found = by_line(responses_of(Transcript().user("go").answers(TWO_BLOCKS).says("more")))

    assert {at: [one.key for one in here] for at, here in found.items()} == {
        2: ["m:msg_1"],
        4: ["m:msg_2"],
    }


# devtools 14
def test_a_line_without_usage_is_no_response_and_one_without_counts_is_all_zeros() -> None:
    transcript = Transcript().says("a", usage=False).says("b", usage={})

    assert [one.tokens for one in responses_of(transcript)] == [Tokens()]


@given(st.lists(LINES, max_size=12))
def test_the_fold_keeps_the_line_that_sorting_all_of_them_puts_last(lines: list[Message]) -> None:
    ledger, groups = Ledger(), dict[str, list[Message]]()
    for one in lines:
        ledger.feed(one)
        groups.setdefault(one.message_id or one.request_id or one.uuid, []).append(one)

    kept = [max(group, key=order) for group in groups.values()]

    found = [(one.tokens, one.model) for one in ledger.responses()]
    assert found == [(one.tokens, one.model) for one in kept]


def order(one: Message) -> tuple[object, ...]:
    tokens = one.tokens or Tokens()
    when = (not one.is_sidechain, bool(one.stop_reason), one.at or -1)
    return (tokens.output, *when, one.model, tokens.input)


@given(st.lists(LINES, max_size=8), st.integers(0, 8))
def test_reading_the_ledger_half_way_changes_nothing(lines: list[Message], cut: int) -> None:
    whole, read = Ledger(), Ledger()
    for at, one in enumerate(lines):
        whole.feed(one)
        if at == cut:
            read.responses()
        read.feed(one)

    assert read.responses() == whole.responses()
