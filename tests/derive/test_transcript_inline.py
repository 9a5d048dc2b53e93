"""Agents of 1.0.x wrote into the main file: what they say there is theirs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.wholes import fold_of, responses, whole_of
from unspool.decode.lines import decode
from unspool.demo import Transcript
from unspool.derive.context.attribution import context
from unspool.derive.transcript import TranscriptFold
from unspool.derive.whole import MAIN
from unspool.model.document import Metrics
from unspool.source.tail import split_lines

SIDE: dict[str, Any] = {"isSidechain": True}
USAGE = {"input_tokens": 1_000, "output_tokens": 9}
TALK = (
    Transcript()
    .user("go")
    .calls("Task", {"prompt": "look"}, id="t1", usage=False)
    .user("look", parentUuid=None, **SIDE)
    .calls("Bash", {"command": "ls"}, id="t2", usage=USAGE, **SIDE)
    .returns("a", call="t2", **SIDE)
    .says("seen", usage=False, **SIDE)
    .returns("seen", call="t1")
    .says("done", usage=USAGE)
)
AGENT = "inline-u3"


def kinds(fold: TranscriptFold) -> list[str]:
    return [span.type for span in fold.chunks.spans]


def prompts(fold: TranscriptFold) -> list[str]:
    return [turn.prompt for turn in fold.turns.turns(lambda lines: Metrics())]


# devtools 43
def test_an_inline_agent_has_chunks_and_calls_of_its_own() -> None:
    fold = fold_of(TALK)

    assert list(fold.inline) == [AGENT]
    assert kinds(fold) == kinds(fold.inline[AGENT]) == ["user", "ai"]
    assert list(fold.tools.calls) == ["t1"]
    assert list(fold.inline[AGENT].tools.calls) == ["t2"]


# peers 6
def test_an_inline_agent_has_turns_and_branches_of_its_own() -> None:
    fold = fold_of(TALK)
    inside = fold.inline[AGENT]

    assert prompts(fold) == ["go"]
    assert prompts(inside) == ["look"]
    assert fold.threads.threads().labels == inside.threads.threads().labels == {}


def test_what_an_inline_agent_reads_is_not_in_the_session_s_context() -> None:
    full = {"input_tokens": 5, "cache_read_input_tokens": 90_000, "output_tokens": 1}
    made = Transcript().user("go").says("a", usage={"input_tokens": 5})
    fold = fold_of(made.user("look", **SIDE).says("b", usage=full, **SIDE))

    assert [turn.measured for turn in context(fold.chunks.spans, None).turns] == [5]


def test_an_inline_agent_at_work_does_not_make_the_session_work() -> None:
    made = Transcript().user("go").says("done").calls("Bash", {"command": "ls"}, **SIDE)
    fold = fold_of(made)

    assert (fold.status.is_ongoing, fold.status.state.state) == (False, "waiting_for_input")
    assert [one.status.is_ongoing for one in fold.inline.values()] == [True]


def test_the_lines_of_an_inline_agent_are_found_under_the_numbers_of_the_file() -> None:
    data = TALK.bytes()
    inside = fold_of(TALK).inline[AGENT]
    offset, length = inside.place(inside.numbers[0])

    assert list(inside.numbers) == [3, 4, 5, 6]
    assert data[offset : offset + length] == data.splitlines()[2]
    assert inside.diagnostics.lines == inside.diagnostics.entries == 4


def test_the_file_s_counts_are_of_all_its_lines() -> None:
    found = fold_of(TALK).diagnostics

    assert (found.lines, found.entries) == (8, 8)


def test_an_inline_agent_is_linked_and_charged_like_any_other() -> None:
    whole = whole_of(TALK)
    (found,) = whole.agents

    assert (found.id, found.parent_task_id, found.proof) == (AGENT, "t1", "prompt")
    assert found.file_path == ""
    assert [one.tokens.output for one in responses(whole.join.usage, AGENT)] == [9]
    assert [one.tokens.output for one in responses(whole.join.usage, MAIN)] == [9]
    assert (found.metrics.message_count, whole.metrics(MAIN).message_count) == (4, 4)


def test_what_an_agent_with_a_file_wrote_into_the_main_one_is_charged_to_it_too() -> None:
    main = Transcript().user("go").says("early", usage=USAGE, agentId="a1", **SIDE)
    own = Transcript(agent="a1", uuid_prefix="a").user("look").says("late", usage=USAGE, id="m9")
    whole = whole_of(main, own)

    assert [agent.id for agent in whole.agents] == ["a1"]
    assert len(responses(whole.join.usage, "a1")) == 2
    assert kinds(whole.folds["a1"]) == ["user", "ai"]


def test_a_line_written_again_is_told_once() -> None:
    fold = fold_of(TALK.bytes() * 2)

    assert fold.inline[AGENT].messages == 4
    assert kinds(fold.inline[AGENT]) == ["user", "ai"]


@pytest.mark.parametrize("first", [True, False])
def test_a_uuid_of_two_threads_is_the_first_s_however_the_file_is_cut(first: bool) -> None:
    made = Transcript().user("one", uuid="x", isSidechain=first)
    made.user("two", uuid="x", isSidechain=not first)
    at_once = TranscriptFold("s1")
    at_once.feed_all(
        (offset, len(line), decode(line)) for offset, line in split_lines(made.bytes())
    )
    one_by_one = fold_of(made)

    assert at_once.messages == one_by_one.messages == int(not first)
    assert [one.messages for one in at_once.inline.values()] == [int(first)]


def test_an_agent_s_own_file_is_not_split() -> None:
    made = Transcript(agent="a1").user("go").says("done")

    assert fold_of(made).inline == {}
    assert kinds(fold_of(made)) == ["user", "ai"]


@given(st.sets(st.integers(1, 60)), st.integers(1, 4))
def test_every_line_is_the_session_s_or_one_agent_s(sides: set[int], agents: int) -> None:
    made = Transcript().user("go")
    for number in range(2, 61):
        chain = number % agents
        after = {"parentUuid": f"c{chain}-{number - agents}", **SIDE} if number in sides else {}
        made.user("x", uuid=f"c{chain}-{number}", **after)
    fold = fold_of(made)
    inside = [line for one in fold.inline.values() for line in one.numbers]

    assert sorted(inside) == sorted(sides - {1})
    assert fold.messages + sum(one.messages for one in fold.inline.values()) == 60


def test_a_call_inside_an_agent_is_no_call_of_the_main_thread() -> None:
    made = Transcript().user("go").calls("Bash", {"command": "a"}, isSidechain=True, agentId="a1")
    fold = fold_of(made)

    assert (fold.status.running(), fold.context) == ([], 0)
    assert fold.inline["a1"].status.running() == ["Bash a"]
