"""The drill-down: the most expensive first, all of it, each row leading on."""

import pytest

from tests.show.webs import HOSTILE, Seen
from unspool.model.api import CostAnswer, CostItem
from unspool.model.steps import SessionStep, StepCost
from unspool.show.html.links import LiveLinks
from unspool.show.html.render import render
from unspool.show.html.spend_drill import (
    SESSIONS,
    TurnsPart,
    change,
    project_rows,
    session_rows,
    turns_part,
)
from unspool.show.html.spend_page import SpendQuery

PICO = 10**12


def projects(**usd: float) -> CostAnswer:
    rows = (CostItem(project_id=name, total_cost=cost) for name, cost in usd.items())
    return CostAnswer(projects=tuple(rows))


def sessions(count: int) -> CostAnswer:
    rows = (CostItem(project_id="p", session_id=f"s{n}", total_cost=1.0) for n in range(count))
    return CostAnswer(sessions=tuple(rows))


def turns(text: str = "Fix it") -> TurnsPart:
    step = SessionStep("t1", "call", turn=1, start=1_000, name=text)
    steps = [
        step._replace(cost=StepCost(read=2 * PICO)),
        step._replace(id="t2", cost=StepCost(agents=PICO)),
        *(step._replace(id=f"n{n}", cost=StepCost(output=PICO // 5)) for n in range(5)),
    ]
    return turns_part(steps, {1: text}, ("p", "s"))


def test_a_project_is_compared_with_four_weeks_before() -> None:
    rows = project_rows(projects(a=3.0, b=1.0, c=0.0), projects(a=2.0, c=1.0), {"a": "api"})

    assert [(row.name, row.cost, row.delta, row.percent) for row in rows] == [
        ("api", "$3.00", "+50 %", 100.0),
        ("b", "$1.00", "", 33.3),
    ]


@pytest.mark.parametrize(
    ("now", "before", "text"),
    [(2, 1, "+100 %"), (1, 2, "−50 %"), (1, 1, "±0 %"), (1, 0, ""), (25, 2, "×12")],
)
def test_a_change_has_its_sign(now: float, before: float, text: str) -> None:
    assert change(now, before) == text


def test_many_sessions_come_in_pieces_and_none_is_left_out() -> None:
    report, query = sessions(SESSIONS + 2), SpendQuery()
    first = session_rows(report, {("p", "s0"): "Bug hunt"}, query)
    rest = session_rows(report, {}, query, first.more)

    assert first.rows[0].name == "Bug hunt"
    assert (len(first.rows), first.others) == (SESSIONS, "2 others, $2.00")
    assert (len(rest.rows), rest.more) == (2, 0)


def test_a_session_leads_to_its_page_and_to_its_turns_of_these_days() -> None:
    rows = session_rows(sessions(1), {}, SpendQuery(first="2026-11-09", last="2026-11-09"))
    hrefs = Seen(render(rows, LiveLinks())).hrefs

    assert hrefs == ["/s/p/s0", "/part/spend/turns/p/s0?range=28&day=2026-11-09"]


def test_a_turn_has_its_agents_and_leads_to_its_steps() -> None:
    (turn,) = turns().turns
    hrefs = Seen(render(turns(), LiveLinks())).hrefs

    assert (turn.cost, turn.agents, turn.steps_hidden) == (
        "$4.00",
        "agents $1.00",
        "2 other steps, $0.40",
    )
    assert hrefs[0] == "/s/p/s?at=t1#step-t1"


@pytest.mark.parametrize("text", HOSTILE)
def test_no_prompt_becomes_an_element(text: str) -> None:
    made = Seen(render(turns(text), LiveLinks()))

    assert made.shape == Seen(render(turns(), LiveLinks())).shape
