from tests.show.made import agent
from unspool.model.document import Metrics, Subagent, Team
from unspool.show.html.agent_lines import (
    agent_children,
    agent_line,
    agent_tree,
    agents_below,
    inclusive_line,
)


def by_id(*agents: Subagent) -> dict[str, Subagent]:
    return {one.id: one for one in agents}


def test_an_agent_says_what_it_costs_and_who_says_it_belongs_here() -> None:
    made = agent_line(agent("x", proof="position", metrics=Metrics(cost_usd=0.14)))

    assert (made.title, made.cost.text) == ("Look at x", "$0.14")
    assert made.proof == "linked by position, a guess"


def test_a_team_member_goes_by_its_name() -> None:
    assert agent_line(agent("x", team=Team("t", "Ada"), subagent_type="general")).about == "Ada"


def test_each_agent_stands_below_the_one_that_started_it() -> None:
    found = agent_tree(by_id(agent("b", parent_agent_id="a"), agent("a"), agent("c")))

    assert [(one.id, one.depth) for one in found] == [("a", 0), ("b", 1), ("c", 0)]


def test_a_ring_of_agents_is_shown_once() -> None:
    ring = by_id(agent("a", parent_agent_id="b"), agent("b", parent_agent_id="a"))

    assert sorted(one.id for one in agent_tree(ring)) == ["a", "b"]


def test_a_very_deep_tree_is_whole_and_not_endlessly_indented() -> None:
    chain = [agent("0"), *(agent(str(n), parent_agent_id=str(n - 1)) for n in range(1, 3_000))]
    found = agent_tree(by_id(*chain))

    assert len(found) == 3_000
    assert found[-1].depth == 12


def test_below_an_agent_are_all_it_led_to() -> None:
    agents = by_id(agent("a"), agent("b", parent_agent_id="a"), agent("c", parent_agent_id="b"))

    assert [one.id for one in agents_below("a", agents, agent_children(agents.values()))] == [
        "b",
        "c",
    ]


def test_an_agent_costs_what_it_and_all_agents_below_it_cost() -> None:
    cents = {"a": 0.14, "b": 0.2, "c": 0.1, "d": 1.0}
    above = {"a": None, "b": "a", "c": "b", "d": None}
    agents = by_id(
        *(
            agent(id, parent_agent_id=above[id], metrics=Metrics(cost_usd=usd))
            for id, usd in cents.items()
        )
    )
    started = agent_children(agents.values())
    made = inclusive_line(agents["a"], agents, started)

    assert (made.cost.text, made.nested) == ("$0.44", "$0.30")
    assert inclusive_line(agents["d"], agents, started) == agent_line(agents["d"])
