from typing import Any

from tests.show.html.sample_sessions import READER
from tests.show.made import agent, chunk, document, step
from unspool.model.document import (
    Chunk,
    Compaction,
    Context,
    Metrics,
    Phase,
    SessionLink,
    SessionLinks,
    Step,
)
from unspool.show.html.passages import SLAB, Layout, passages
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.step_types import (
    AnswerBlock,
    CompactionBlock,
    Passage,
    RelatedSession,
    SpeechBlock,
)


def told(*chunks: Chunk, **more: Any) -> tuple[Passage, ...]:
    made = document(*chunks, **more)
    return passages(made, render_context(made, READER))


def test_every_chunk_is_a_passage_and_the_first_opens_its_turn() -> None:
    made = told(
        chunk("user", "Go", id="u", turn=1), chunk("ai", id="a", turn=1), chunk("ai", id="b")
    )

    assert [(one.id, one.number, one.opens) for one in made] == [
        ("chunk-u", 0, True),
        ("chunk-a", 1, False),
        ("chunk-b", 2, False),
    ]


def test_a_turn_that_goes_on_after_a_compaction_opens_once() -> None:
    made = told(
        chunk("ai", id="a", turn=1), chunk("compact", "…", id="c"), chunk("ai", id="b", turn=1)
    )

    assert [one.opens for one in made] == [True, False, False]


def test_a_long_answer_is_cut_by_the_numbers_of_its_lines() -> None:
    steps = [step("output", "x", id=f"s{n}", line=10 + n) for n in range(2 * SLAB + 5)]
    block = told(chunk("ai", "", *steps, id="a", line=10))[0].block

    assert isinstance(block, AnswerBlock)
    assert [len(slab.items) for slab in block.slabs] == [SLAB, SLAB, 5]
    assert [slab.id for slab in block.slabs] == ["a-0", "a-1", "a-2"]


def test_an_agent_stands_in_the_slab_in_which_it_began() -> None:
    steps = [step("output", "x", id="s", line=SLAB), Step(id="x", type="subagent", agent_id="x")]
    block = told(chunk("ai", "", *steps), subagents=(agent("x"),))[0].block

    assert isinstance(block, AnswerBlock)
    assert [len(slab.items) for slab in block.slabs] == [2]


def test_parts_of_one_chunk_stand_together_with_what_is_folded_between_them() -> None:
    parts = [chunk("ai", "", step("output", "x", line=n * SLAB), id="a") for n in (0, 2)]
    made = document(*parts)
    layout = Layout(numbers={"a": 3}, counts={"a": 99}, folds={"a": {1: "Show 60 steps"}})
    (passage,) = passages(made, render_context(made, READER), layout)

    assert isinstance(passage.block, AnswerBlock)
    assert (passage.number, passage.block.steps) == (3, "99 steps")
    assert [slab.folded for slab in passage.block.slabs] == ["", "Show 60 steps", ""]


def test_a_picture_of_a_prompt_goes_by_the_name_of_its_line() -> None:
    made = document(chunk("user", "Look", line=4, images=2))
    reader = ReaderOptions(now=0, events=lambda agent, line: f"1.0.{line}")
    block = passages(made, render_context(made, reader))[0].block

    assert isinstance(block, SpeechBlock)
    assert (block.event, block.pictures) == ("1.0.4", 2)


def test_what_carries_out_a_plan_says_where_it_was_made() -> None:
    plan = {"links": SessionLinks(plan=SessionLink("planned", 0.9, "slug"))}
    block = told(chunk("user", "Implement it"), session=plan)[0].block

    assert isinstance(block, SpeechBlock)
    assert block.leads == RelatedSession("Plan from", "planned", "slug")


def test_what_you_ran_is_yours() -> None:
    block = told(chunk("system", "git status", voice="bash_input"))[0].block

    assert isinstance(block, SpeechBlock)
    assert block.who == "You ran"


def test_a_prompt_is_yours() -> None:
    block = told(chunk("user", "Go"))[0].block

    assert isinstance(block, SpeechBlock)
    assert (block.who, block.text) == ("You", "Go")


def test_what_a_command_printed_is_output() -> None:
    block = told(chunk("system", "\x1b[31mred"))[0].block

    assert isinstance(block, SpeechBlock)
    assert block.is_output


def test_an_answer_says_how_many_steps_for_how_much() -> None:
    steps = (step("output", "x"), step("tool_result", id="r"))
    block = told(chunk("ai", "", *steps, metrics=Metrics(cost_usd=0.5)))[0].block

    assert isinstance(block, AnswerBlock)
    assert (block.steps, block.cost.text) == ("1 step", "$0.50")


def test_a_compaction_says_what_it_saved() -> None:
    ended = Compaction("auto", 168_000, 31_000)
    phase = Phase(number=1, first_chunk="a", last_chunk="a", compaction=ended)
    made = told(chunk("ai", id="a"), chunk("compact", "…"), context=Context(phases=(phase,)))
    splice = made[-1].block

    assert isinstance(splice, CompactionBlock)
    assert splice.text.startswith("auto, 168k → 31.0k tokens")


def test_a_compaction_that_only_tells_a_difference_tells_that() -> None:
    phase = Phase(
        number=1, first_chunk="a", last_chunk="a", compaction=Compaction("", None, None, -9)
    )
    made = told(chunk("ai", id="a"), chunk("compact", "…"), context=Context(phases=(phase,)))

    assert "-9 tokens" in str(made[-1].block)
