from typing import Any

from msgspec import UNSET, Raw

from tests.derive.wholes import whole_of
from unspool.demo import Transcript, text_block, thinking_block
from unspool.derive.document import Assembler, Cut, Window
from unspool.derive.story.tools import Call
from unspool.model.document import SessionDocument, SessionInfo
from unspool.model.message import Message, Piece

TALK = (
    Transcript()
    .user("one")
    .answers([thinking_block("hm"), text_block("a")])
    .calls("Bash", command="x", id="call1")
    .returns("ok")
    .compacts()
    .user("two")
    .calls("Bash", command="y", id="call2")
)
ALL = Window()


class Echo:
    """Reads back nothing but where it was asked to look."""

    def text(self, message: Message, piece: Piece) -> str:
        return f"{message.uuid}.{piece.n}"

    def said(self, message: Message) -> str:
        return message.uuid

    def given(self, call: Call) -> Raw:
        return Raw(b'{"x":1}')

    def answered(self, call: Call) -> Raw | None:
        return Raw(b'"ok"') if call.result else None

    def noted(self, call: Call) -> dict[str, Any]:
        return {"kind": "echo"} if call.result else {}


def document(
    made: Transcript, *agents: Transcript, window: Window = ALL, is_ongoing: bool = False
) -> SessionDocument:
    assembler = Assembler(whole_of(made, *agents), is_busy=is_ongoing)
    return assembler.document(SessionInfo(id="s1"), window, Echo())


def test_chunks_come_in_reading_order() -> None:
    found = document(TALK)

    assert [chunk.type for chunk in found.chunks] == ["user", "ai", "compact", "user", "ai"]
    assert [chunk.turn for chunk in found.chunks] == [1, 1, 1, 2, 2]


def test_a_chunk_that_is_no_answer_has_a_text_and_no_steps() -> None:
    user, answer, *_ = document(TALK).chunks

    assert (user.text, user.steps) == ("u1", UNSET)
    assert answer.text is UNSET


def test_a_chunk_is_charged_for_the_responses_that_began_in_it() -> None:
    found = document(TALK)

    assert [chunk.metrics.output_tokens for chunk in found.chunks] == [0, 10, 0, 0, 5]
    assert sum(chunk.metrics.output_tokens for chunk in found.chunks) == (
        found.metrics.main.output_tokens
    )


def test_a_turn_is_charged_as_its_chunks_are() -> None:
    assert [turn.metrics.output_tokens for turn in document(TALK).turns] == [10, 5]


def test_a_call_is_at_home_in_its_chunk() -> None:
    found = document(TALK)

    homes = {one.tool_use_id: one.chunk_id for one in found.tool_executions}
    assert homes == {"call1": found.chunks[1].id, "call2": found.chunks[4].id}


def test_a_window_holds_the_calls_of_its_chunks_alone() -> None:
    found = document(TALK, window=Window(3, 2))

    assert [chunk.type for chunk in found.chunks] == ["user", "ai"]
    assert [one.tool_use_id for one in found.tool_executions] == ["call2"]


def test_a_window_past_the_end_is_empty() -> None:
    assert document(TALK, window=Window(99, 2)).chunks == ()


def test_only_the_last_chunk_of_a_session_at_work_can_have_a_call_that_runs() -> None:
    made = Transcript().user("a").calls("Bash", id="lost").user("b").calls("Bash", id="runs")

    states = {one.tool_use_id: one.state for one in document(made, is_ongoing=True).tool_executions}
    assert states == {"lost": "no_result", "runs": "running"}


def test_a_session_without_lines_has_an_empty_document() -> None:
    found = document(Transcript())

    assert (found.chunks, found.turns, found.tool_executions) == ((), (), ())
    assert found.metrics.total.cost_usd == 0


def test_what_is_of_the_whole_session_is_made_once() -> None:
    made = Assembler(whole_of(TALK))

    assert made.metrics is made.metrics
    assert made.turns is made.turns
    assert made.context is made.context


def test_main_and_agents_are_the_total() -> None:
    agent = Transcript(agent="a1", uuid_prefix="a-").user("look").says("seen", id="m9")
    metrics = document(TALK, agent).metrics

    assert (metrics.main.output_tokens, metrics.subagents.output_tokens) == (15, 5)
    assert metrics.total.output_tokens == 20
    assert metrics.total.message_count == (
        (metrics.main.message_count or 0) + (metrics.subagents.message_count or 0)
    )


def test_the_chunk_that_called_an_agent_shows_its_run() -> None:
    made = Transcript().user("go").calls("Agent", description="see", prompt="look", id="call1")
    agent = Transcript(agent="a1", uuid_prefix="a-").user("look").says("seen", id="m9")
    steps = document(made, agent).chunks[1].steps

    assert steps is not UNSET
    assert [(step.type, step.agent_id) for step in steps if step.type == "subagent"] == [
        ("subagent", "a1")
    ]


def parts(made: Transcript, *cuts: Cut) -> SessionDocument:
    return Assembler(whole_of(made)).parts(SessionInfo(id="s1"), cuts, Echo())


def test_a_whole_chunk_is_the_same_by_itself() -> None:
    whole = document(TALK)

    assert parts(TALK, Cut(1), Cut(0)).chunks == (whole.chunks[1], whole.chunks[0])


def test_parts_of_a_chunk_joined_are_the_chunk() -> None:
    whole = document(TALK).chunks[1]
    first, last = parts(TALK, Cut(1, 0, 4), Cut(1, 4)).chunks

    assert whole.steps is not UNSET
    assert [step for one in (first, last) for step in one.steps or ()] == list(whole.steps)
    assert first.metrics == last.metrics == whole.metrics


def test_a_part_has_the_calls_that_were_made_or_answered_in_it() -> None:
    made = Transcript().user("go").calls("A", id="a").calls("B", id="b").returns("ok", call="a")
    first, last = parts(made, Cut(1, 0, 3)), parts(made, Cut(1, 4))

    assert [one.tool_use_id for one in first.tool_executions] == ["a"]
    assert [one.tool_use_id for one in last.tool_executions] == ["a"]


def test_a_part_beyond_the_end_is_left_out() -> None:
    assert parts(TALK, Cut(99)).chunks == ()


def test_an_agent_is_in_the_part_in_which_it_began() -> None:
    made = Transcript().user("go").calls("Task", id="t1", prompt="look").wait(60).says("so")
    agent = Transcript(agent="a1", uuid_prefix="a").wait(3).user("look").meta(toolUseId="t1")
    assembler = Assembler(whole_of(made, agent))
    first, last = (
        assembler.parts(SessionInfo(id="s1"), [cut], Echo()).chunks[0]
        for cut in (Cut(1, 0, 3), Cut(1, 3))
    )

    assert [step.type for step in first.steps or ()] == ["tool_call", "subagent"]
    assert [step.type for step in last.steps or ()] == ["output"]


def test_a_sketch_has_every_chunk_and_call_and_no_text() -> None:
    whole = document(TALK)
    made = Assembler(whole_of(TALK)).sketch(SessionInfo(id="s1"))

    assert [(one.id, one.turn) for one in made.chunks] == [(c.id, c.turn) for c in whole.chunks]
    assert [one.state for one in made.tool_executions] == ["ok", "no_result"]
    assert all(one.text is UNSET for one in made.chunks)


def test_pictures_of_a_prompt_are_counted() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": ""}}
    made = Transcript().user([text_block("see"), image, image])

    assert document(made).chunks[0].images == 2


def test_steps_of_a_chunk_are_counted_with_its_agents() -> None:
    assembler = Assembler(whole_of(TALK))
    span = whole_of(TALK).folds[""].chunks.spans[1]

    assert assembler.steps_of(span) == 3
