"""Tapes: what happened when, in parts of a session's whole length."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.show.made import agent, at, call, chunk, document, step
from unspool.model.document import Chunk, SessionDocument, ToolHook
from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.model.steps import SessionStep, StepCost
from unspool.show.charts.spool_data import (
    AgentInterval,
    CallMark,
    CostMark,
    Interval,
    SpoolData,
    session_axis,
    spool_data,
    strip_data,
)

START = 1_767_225_600_000


def drawn(made: SessionDocument) -> SpoolData:
    return spool_data(made, (), session_axis(made, ()))


def said(minute: int, until: int, **more: Any) -> Chunk:
    return chunk("ai", "", start_time=at(minute), end_time=at(until), **more)


def asked(minute: int) -> Chunk:
    return chunk("user", "go on", start_time=at(minute), end_time=at(minute))


def test_a_session_without_times_has_an_empty_tape() -> None:
    assert drawn(document(chunk("ai", start_time=None, end_time="no time"))) == SpoolData()


def test_a_turn_lasts_from_its_prompt_to_its_last_answer() -> None:
    made = drawn(document(asked(0), said(1, 4), asked(6), said(6, 10)))

    assert made.turns == (Interval(0.0, 0.4), Interval(0.6, 1.0))


def test_a_session_that_begins_with_an_answer_has_a_turn() -> None:
    assert drawn(document(said(0, 10))).turns == (Interval(0.0, 1.0),)


def test_a_call_stands_where_it_began_and_says_whether_it_failed() -> None:
    failed = replace(call(state="error"), start_time=at(5), duration_ms=60_000)

    (mark,) = drawn(document(said(0, 10), tool_executions=(failed,))).tools

    assert (mark.start, mark.failed) == (0.5, True)
    assert mark.length == pytest.approx(0.1)


def test_a_call_that_waited_for_approval_is_a_wait() -> None:
    waited = replace(call(), start_time=at(5), hook=ToolHook("allow", 60_000))

    assert drawn(document(said(0, 10), tool_executions=(waited,))).waits == (Interval(0.5, 0.6),)


def test_thinking_lasts_as_long_as_its_step() -> None:
    thought = step("thinking", start_time=at(2), duration_ms=60_000)
    made = drawn(document(chunk("ai", "", thought, start_time=at(0), end_time=at(10))))

    assert made.thinking == (Interval(0.2, 0.3),)


def test_a_compaction_is_a_cut() -> None:
    cut = chunk("compact", "sum", start_time=at(5), end_time=at(5))

    assert drawn(document(said(0, 4), cut, said(6, 10))).cuts == (0.5,)


def test_agents_at_work_together_have_lanes_of_their_own() -> None:
    agents = tuple(agent(str(n), start_time=at(n), end_time=at(6)) for n in range(3))
    made = drawn(document(said(0, 10), subagents=(*agents, agent("z", start_time=at(7)))))

    assert [one.lane for one in made.agents] == [0, 1, 2, 0]
    assert made.agents[-1].end == 1.0


def test_an_agent_that_ran_later_has_its_own_place_after_the_pause() -> None:
    late = agent("a", start_time=at(50), end_time=at(59))

    made = drawn(document(said(0, 10), subagents=(late,)))

    assert made.agents[0].end == 1.0
    assert made.folds[0].end == made.agents[0].start


def test_costs_stand_where_their_steps_began() -> None:
    made = document(said(0, 10))
    steps = (
        SessionStep("a", "text", start=START, end=START + 60_000),
        SessionStep("b", "text", start=START + 60_000, end=START + 120_000, cost=StepCost(read=5)),
        SessionStep("c", "text", cost=StepCost(read=5)),
    )

    costs = spool_data(made, steps, session_axis(made, steps)).costs

    assert costs == (CostMark(0.5, StepCost(read=5)),)


def test_a_strip_of_the_index_is_a_tape_of_its_whole_length() -> None:
    strip = ActivityStrip(
        turns=(TimeSpan(1_000, 2_000), TimeSpan(3_000, 5_000)),
        calls=(CallSpan(1_400, 1_800, True),),
        agents=(TimeSpan(3_000, 4_000),),
        waits=(TimeSpan(1_400, 1_600),),
        cuts=(3_000,),
    )

    assert strip_data(strip) == SpoolData(
        turns=(Interval(0.0, 0.25), Interval(0.5, 1.0)),
        tools=(CallMark(0.1, 0.1, True),),
        agents=(AgentInterval(0.5, 0.75, 0),),
        waits=(Interval(0.1, 0.15),),
        cuts=(0.5,),
    )


def test_a_strip_may_go_on_until_now() -> None:
    assert strip_data(ActivityStrip(turns=(TimeSpan(0, 1_000),)), 4_000).turns == (
        Interval(0.0, 0.25),
    )


def test_a_strip_of_nothing_is_an_empty_tape() -> None:
    assert strip_data(ActivityStrip()) == SpoolData()
