from tests.show.made import PIPE, SCREEN, agent, at, chunk, document, step, texts
from unspool.model.document import Metrics, Subagent, Team
from unspool.show.text.layout import Frame
from unspool.show.text.steps import AgentTrace, SessionAgents, agent_trace


def told(*agents: Subagent, frame: Frame = PIPE) -> SessionAgents:
    return SessionAgents(agents, lambda id: AgentTrace(3, f"{id} is done"), frame)


def test_an_agent_shows_its_task_its_cost_and_its_last_words() -> None:
    one = agent("a1", subagent_type="Explore", duration_ms=41_000, metrics=Metrics(cost_usd=0.1))

    assert texts(told(one).show("a1")) == [
        "  ↳ Agent      Look at a1  Explore · 3 steps · $0.10 · 41 s",
        "      a1 is done",
    ]


def test_agents_of_an_agent_are_further_in() -> None:
    tree = [agent("a1"), agent("a2", parent_agent_id="a1"), agent("a3", parent_agent_id="a2")]
    lines = [line for line in texts(told(*tree).show("a1")) if "↳" in line]

    assert [line.index("↳") for line in lines] == [2, 6, 10]


def test_nested_agents_stay_inside_the_screen() -> None:
    tree = [agent(f"a{n}", parent_agent_id=f"a{n - 1}" if n else None) for n in range(2_000)]
    lines = texts(told(*tree, frame=SCREEN).show("a0"))

    assert len(lines) == 4_000
    assert max(map(len, lines)) <= 80


def test_an_agent_is_shown_once() -> None:
    agents = told(agent("a1"))
    first = texts(agents.show("a1"))

    assert first
    assert texts(agents.show("a1")) == []


def test_a_circle_of_agents_ends() -> None:
    agents = told(agent("a1", parent_agent_id="a2"), agent("a2", parent_agent_id="a1"))

    assert sum("↳" in line for line in texts(agents.rest())) == 2


def test_agents_that_nothing_leads_to_are_the_rest() -> None:
    agents = told(agent("a1"), agent("a2"), agent("a3", parent_agent_id="a2"))
    list(agents.show("a1"))
    rest = [line.strip() for line in texts(agents.rest()) if "↳" in line]

    assert [line.split()[4] for line in rest] == ["a2", "a3"]


def test_a_weak_link_says_what_it_rests_on() -> None:
    assert "linked by position" in texts(told(agent("a1", proof="position")).show("a1"))[0]
    assert "linked" not in texts(told(agent("a1", proof="meta")).show("a1"))[0]


def test_a_teammate_goes_by_name_and_one_at_work_is_marked() -> None:
    one = agent("a1", team=Team("crew", "Ada"), is_ongoing=True)
    line = texts(told(one).show("a1"))[0]

    assert line.startswith("  ● Agent")
    assert "Ada" in line


def test_a_call_knows_whether_it_started_an_agent() -> None:
    agents = told(agent("a1", parent_task_id="t1"))

    assert agents.is_for("t1")
    assert not agents.is_for("t2")


def test_a_trace_counts_steps_and_keeps_the_last_words() -> None:
    made = document(
        chunk("user", "go"),
        chunk(
            "ai", "", step("tool_call", id="t"), step("tool_result", id="t"), step("output", "x")
        ),
        session={"recent_output": "Found it", "start_time": at(1)},
    )

    assert agent_trace(made) == AgentTrace(2, "Found it")
