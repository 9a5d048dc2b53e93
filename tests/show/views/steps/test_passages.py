from typing import Any

from tests.show.made import chunk, document, step
from tests.show.views.sessions_made import READER
from unspool.model.document import Chunk, Compaction, Context, Metrics, Phase
from unspool.show.views.steps.around import around
from unspool.show.views.steps.passages import passages
from unspool.show.views.steps.shapes import Answer, Passage, Speech, Splice


def told(*chunks: Chunk, **more: Any) -> tuple[Passage, ...]:
    made = document(*chunks, **more)
    return passages(made, around(made, READER))


def test_the_chunks_of_a_turn_stand_together() -> None:
    made = told(chunk("user", "Go", turn=1), chunk("ai", turn=1), chunk("user", "On", turn=2))

    assert [(one.id, len(one.blocks)) for one in made] == [("turn-1", 2), ("turn-2", 1)]


def test_a_turn_that_goes_on_after_a_compaction_has_a_place_of_its_own() -> None:
    made = told(
        chunk("ai", id="a", turn=1), chunk("compact", "…", id="c"), chunk("ai", id="b", turn=1)
    )

    assert [one.id for one in made] == ["turn-1", "from-c", "from-b"]


def test_a_prompt_is_yours() -> None:
    (block,) = told(chunk("user", "Go"))[0].blocks

    assert isinstance(block, Speech)
    assert (block.who, block.text) == ("You", "Go")


def test_what_a_command_printed_is_output() -> None:
    (block,) = told(chunk("system", "\x1b[31mred"))[0].blocks

    assert isinstance(block, Speech)
    assert block.is_output


def test_an_answer_says_how_many_steps_for_how_much() -> None:
    steps = (step("output", "x"), step("tool_result", id="r"))
    (block,) = told(chunk("ai", "", *steps, metrics=Metrics(cost_usd=0.5)))[0].blocks

    assert isinstance(block, Answer)
    assert (block.steps, block.cost.text) == ("1 step", "$0.50")


def test_a_compaction_says_what_it_saved() -> None:
    ended = Compaction("auto", 168_000, 31_000)
    phase = Phase(number=1, first_chunk="a", last_chunk="a", compaction=ended)
    made = told(chunk("ai", id="a"), chunk("compact", "…"), context=Context(phases=(phase,)))
    splice = made[-1].blocks[-1]

    assert isinstance(splice, Splice)
    assert splice.text.startswith("auto, 168k → 31.0k tokens")


def test_a_compaction_that_only_tells_a_difference_tells_that() -> None:
    phase = Phase(
        number=1, first_chunk="a", last_chunk="a", compaction=Compaction("", None, None, -9)
    )
    made = told(chunk("ai", id="a"), chunk("compact", "…"), context=Context(phases=(phase,)))

    assert "-9 tokens" in str(made[-1].blocks[-1])
