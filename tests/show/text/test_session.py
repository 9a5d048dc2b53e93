from typing import Any

import pytest

from tests.show.made import PIPE, SCREEN, chunk, document, step, texts
from unspool.model.document import Chunk, Compaction, Context, Metrics, Phase
from unspool.show.text.layout import Frame
from unspool.show.text.session import SessionText
from unspool.show.text.steps import AgentTrace, SessionAgents


def told(*chunks: Chunk, frame: Frame = PIPE, **more: Any) -> list[str]:
    made = document(*chunks, **more)
    teller = SessionText(made, SessionAgents((), lambda id: AgentTrace(), frame), frame)
    return texts(teller.tell(made))


def test_a_prompt_is_yours() -> None:
    assert told(chunk("user", "Make it quick.")) == ["You  10:02", "  Make it quick.", ""]


def test_an_answer_says_when_how_much_and_for_how_much() -> None:
    steps = (step("output", "Done."), step("tool_result", id="x"))
    lines = told(chunk("ai", "", *steps, metrics=Metrics(cost_usd=0.62)))

    assert lines[:2] == ["Claude  10:02 – 10:09 · 1 step  $0.62", "  Done."]


def test_its_cost_stands_at_the_edge_of_a_screen() -> None:
    line = told(chunk("ai", metrics=Metrics(cost_usd=0.62)), frame=SCREEN)[0]

    assert len(line) == 80
    assert line.endswith("  $0.62")


def test_an_interrupted_answer_says_so() -> None:
    assert "interrupted" in told(chunk("ai", is_interrupted=True))[0]


@pytest.mark.parametrize(
    ("voice", "who"),
    [("prompt", "You"), ("teammate", "Teammate"), ("notification", "Background task")],
)
def test_who_speaks_is_named(voice: str, who: str) -> None:
    assert told(chunk("user", "x", voice=voice))[0] == f"{who}  10:02"


def test_the_output_of_a_command_is_folded() -> None:
    assert len(told(chunk("system", "x\n" * 100))) == 11


def test_a_compaction_says_what_it_saved() -> None:
    ended = Phase(
        number=1, first_chunk="ai", last_chunk="ai", compaction=Compaction("auto", 168_000, 31_000)
    )
    lines = told(chunk("ai"), chunk("compact", "…"), context=Context(phases=(ended,)))

    assert lines[2] == "‖ Compacted  10:02  auto  168k → 31.0k tokens"


def test_an_old_compaction_says_what_is_known() -> None:
    ended = Phase(
        number=1, first_chunk="ai", last_chunk="ai", compaction=Compaction("", None, None, -9_000)
    )
    lines = told(chunk("ai"), chunk("compact", "…"), context=Context(phases=(ended,)))

    assert lines[2] == "‖ Compacted  10:02  -9.0k tokens"
    assert told(chunk("compact", "…"))[0] == "‖ Compacted  10:02"


def test_what_a_rewind_left_behind_is_marked() -> None:
    assert told(chunk("user", "x", branch=2))[0] == "⑂ branch 2, abandoned by a rewind"


def test_a_long_prompt_is_folded() -> None:
    assert "… 150 more lines" in [line.strip() for line in told(chunk("user", "x\n" * 200))]
