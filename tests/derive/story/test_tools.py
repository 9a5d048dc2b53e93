"""Each call finds its result, wherever in the session it lands."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.reads import messages_of
from unspool.demo import Transcript, tool_block
from unspool.derive.story.chunks import spans
from unspool.derive.story.tools import Call, ToolFold

REJECTED = "The user doesn't want to proceed with this tool use."
ACTIONS: list[Callable[[Transcript], Transcript]] = [
    lambda made: made.user("go"),
    lambda made: made.calls("Bash", {}, id="t1"),
    lambda made: made.calls("Read", {}, id="t2", timestamp=None),
    lambda made: made.returns("a", call="t1"),
    lambda made: made.returns("b", call="t2", failed=True),
    lambda made: made.returns("c", call="t3"),
    lambda made: made.attachment("hook_success", toolUseID="t1"),
]


def fold_of(transcript: Transcript) -> ToolFold:
    fold = ToolFold()
    for message in messages_of(transcript):
        fold.feed(message)
    return fold


def runs(transcript: Transcript) -> list[Call]:
    return fold_of(transcript).executions()


def result(id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": id}


def pairs(calls: list[Call]) -> list[tuple[str, int | None]]:
    return [(call.piece.id, call.result.n if call.result else None) for call in calls]


# devtools 56
def test_a_result_is_matched_by_its_id_and_timed() -> None:
    (call,) = runs(Transcript().calls("Bash", command="ls").wait(2).returns("a"))

    assert (call.line, call.reply.line if call.reply else 0) == (1, 2)
    assert (call.duration, call.state(may_run=False)) == (3000, "ok")


# devtools 57
@pytest.mark.parametrize("block", [result("t1"), {"type": "tool_result", "content": "t1"}])
def test_a_line_that_names_its_call_is_matched(block: dict[str, Any]) -> None:
    made = Transcript().calls("Skill", {"skill": "pdf"}, id="t1")

    assert pairs(runs(made.user([block], sourceToolUseID="t1"))) == [("t1", 0)]


# devtools 58
def test_each_result_goes_to_its_own_call_whatever_the_line_names() -> None:
    made = Transcript().answers([tool_block("Bash", {}, "a"), tool_block("Bash", {}, "b")])

    assert pairs(runs(made.user([result("b"), result("a")], sourceToolUseID="a"))) == [
        ("a", 1),
        ("b", 0),
    ]


# devtools 58
def test_a_result_of_an_unknown_call_is_not_given_to_the_one_its_line_names() -> None:
    made = Transcript().calls("Bash", {}, id="a").user([result("b")], sourceToolUseID="a")

    assert pairs(runs(made)) == [("a", None)]
    assert len(fold_of(made)._early) == 1


# devtools 59
def test_a_call_without_a_result_has_no_end() -> None:
    (call,) = runs(Transcript().calls("Bash", command="ls"))

    assert (call.result, call.end, call.duration) == (None, None, None)


# devtools 59
@pytest.mark.parametrize(("may_run", "state"), [(True, "running"), (False, "no_result")])
def test_a_call_without_a_result_runs_or_never_ended(may_run: bool, state: str) -> None:
    (call,) = runs(Transcript().calls("Bash", command="ls"))

    assert call.state(may_run=may_run) == state


# devtools 60
def test_of_two_results_the_first_is_kept() -> None:
    (call,) = runs(Transcript().calls("Bash", command="ls").returns("a").returns("bb", call=1))

    assert call.reply is not None
    assert call.reply.line == 2


# devtools 61
def test_a_call_written_twice_began_the_first_time() -> None:
    (call,) = runs(Transcript().calls("Bash", {}, id="t1").calls("Bash", {}, id="t1").returns("a"))

    assert (call.line, call.duration) == (1, 2000)


# devtools 62
def test_a_result_before_its_call_gives_no_duration() -> None:
    made = Transcript().at("2026-01-01T00:00:09Z").calls("Bash", command="ls")
    (call,) = runs(made.at("2026-01-01T00:00:06Z").returns("a"))

    assert (call.state(may_run=False), call.end, call.duration) == ("ok", None, None)


# devtools 62
def test_a_result_that_stands_before_its_call_is_matched() -> None:
    made = Transcript().user([result("t1")]).user([result("t1")]).calls("Bash", {}, id="t1")
    fold = fold_of(made)

    assert [call.reply and call.reply.line for call in fold.executions()] == [1]
    assert len(fold._early) == 0


# devtools 63
def test_a_result_in_a_later_chunk_is_matched() -> None:
    made = Transcript().calls("Bash", command="ls").user("meanwhile").returns("a").says("done")
    (call,) = runs(made)

    assert [span.type for span in spans(messages_of(made))] == ["ai", "user", "ai"]
    assert call.state(may_run=False) == "ok"


# devtools 64
def test_calls_are_sorted_by_their_start() -> None:
    made = Transcript().at("2026-01-01T00:00:09Z").calls("Bash", {}, id="late")
    made.at("2026-01-01T00:00:01Z").answers([[tool_block("A", {}, "x"), tool_block("A", {}, "y")]])

    assert [call.piece.id for call in runs(made)] == ["x", "y", "late"]


# devtools 17
def test_a_call_without_a_time_keeps_its_place() -> None:
    made = Transcript().calls("A", {}, id="a").calls("B", {}, id="b", timestamp=None)
    calls = runs(made.calls("C", {}, id="c").returns("x", call="b"))

    assert [call.piece.id for call in calls] == ["a", "b", "c"]
    assert (calls[1].start, calls[1].duration, calls[1].end is None) == (None, None, False)


# devtools 65
def test_an_error_is_passed_on() -> None:
    (call,) = runs(Transcript().calls("Bash", command="ls").returns("no", failed=True))

    assert call.state(may_run=False) == "error"


@pytest.mark.parametrize(
    ("content", "state"),
    [
        (REJECTED, "rejected"),
        ("Permission to use Bash has been denied.", "rejected"),
        ("[Request interrupted by user for tool use]", "interrupted"),
    ],
)
def test_a_call_that_was_not_carried_out_says_why(content: str, state: str) -> None:
    (call,) = runs(Transcript().calls("Bash", command="ls").returns(content, failed=True))

    assert call.state(may_run=False) == state


# format 8
def test_parallel_calls_keep_all_their_results() -> None:
    made = Transcript().answers([tool_block("A", {}, "a"), tool_block("B", {}, "b")])

    assert all(call.result for call in runs(made.returns("1", call="a").returns("2", call="b")))


# peers 2
def test_a_result_on_a_meta_line_is_matched() -> None:
    (call,) = runs(Transcript().calls("Skill", skill="pdf").returns("on", isMeta=True))

    assert call.state(may_run=False) == "ok"


def test_hooks_are_noted_on_the_call_they_ran_for() -> None:
    made = Transcript().calls("Bash", {}, id="t1")
    for id in ("t1", "t9"):
        made.attachment("hook_success", hookName=f"PreToolUse:{id}", toolUseID=id)

    assert runs(made)[0].hooks == ("PreToolUse:t1",)


@given(st.lists(st.sampled_from(ACTIONS), max_size=20))
def test_the_pieces_do_not_matter(actions: list[Callable[[Transcript], Transcript]]) -> None:
    """Asking while the file grows changes nothing of what it says in the end."""
    made, asked, plain = Transcript(), ToolFold(), ToolFold()
    for act in actions:
        act(made)
    for message in messages_of(made):
        asked.feed(message)
        asked.executions()
    for message in messages_of(made):
        plain.feed(message)

    assert pairs(asked.executions()) == pairs(plain.executions())
    assert len(asked._early) == len(plain._early)


@given(st.permutations(range(4)))
def test_results_find_their_calls_in_any_order(order: list[int]) -> None:
    made = Transcript()
    for place in order:
        id = f"t{place % 2}"
        made = made.user([result(id)]) if place < 2 else made.calls("Bash", {}, id=id)

    assert all(call.result for call in runs(made))
