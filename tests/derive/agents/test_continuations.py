"""Agents that went on in another file."""

from tests.derive.agents.session import agent, links_of
from unspool.demo import Transcript
from unspool.derive.agents.links import inherit, predecessors
from unspool.model.document import Team
from unspool.model.message import AgentLink, LinkFacts

SPAWNED = {"status": "teammate_spawned", "agent_id": "ann@crew", "color": "blue"}


def led() -> Transcript:
    """A main conversation with one team member, and what its result said of her."""
    member = {"team_name": "crew", "name": "ann", "description": "dig", "subagent_type": "Explore"}
    return Transcript().user("go").calls("Task", member, id="t1").returns("", result=SPAWNED)


def chain(length: int) -> list[Transcript]:
    """A member's first file, and as many more that each go on where the last one ended."""
    tag = '<teammate-message teammate_id="lead" summary="dig">go</teammate-message>'
    made = [agent("a0", tag)]
    for n in range(1, length + 1):
        at = f"00:{n + 1:02}:00.000"
        made.append(agent(f"a{n}", "go on", at=at, parentUuid=f"a{n - 1}-u2"))
    return made


# devtools 73
def test_a_continuation_inherits_team_description_and_parent() -> None:
    found = links_of(led(), *chain(1))["a1"]

    assert (found.parent_task_id, found.proof) == ("t1", "team")
    assert (found.description, found.subagent_type) == ("dig", "Explore")


# devtools 73
def test_the_fortieth_file_inherits_like_the_second() -> None:
    found = links_of(led(), *reversed(chain(40)))["a40"]

    assert (found.parent_task_id, found.description) == ("t1", "dig")


# devtools 72
def test_the_colour_of_a_spawned_teammate_reaches_its_continuations() -> None:
    found = links_of(led(), *chain(2))

    assert [one.team for one in found.values()] == [Team("crew", "ann", "blue")] * 3


def test_an_agent_outside_a_team_goes_on_too() -> None:
    main = Transcript().user("go").calls("Task", prompt="dig", id="t1")
    more = agent("a2", "more", at="00:02:00.000", parentUuid="a1-u2")
    found = links_of(main, agent("a1", "dig"), more)["a2"]

    assert (found.parent_task_id, found.proof) == ("t1", "prompt")


def test_a_continuation_of_nothing_known_has_no_parent() -> None:
    more = agent("a2", "more", parentUuid="a1-u2")

    assert links_of(Transcript().user("go"), agent("a1"), more)["a2"].proof == "none"


def test_a_continuation_with_a_call_of_its_own_keeps_it() -> None:
    own = AgentLink(agent_id="a2", parent_task_id="t2", proof="agentId")
    before = AgentLink(agent_id="a1", parent_task_id="t1", proof="meta", team=Team("crew", "ann"))
    found = inherit({"a1": before, "a2": own}, {"a2": "a1"})["a2"]

    assert (found.parent_task_id, found.proof, found.team) == ("t2", "agentId", before.team)


def test_files_that_continue_each_other_end() -> None:
    files = [
        LinkFacts(id="a1", first_parent_uuid="y", last_uuid="x"),
        LinkFacts(id="a2", first_parent_uuid="x", last_uuid="y"),
    ]
    links = {facts.id: AgentLink(agent_id=facts.id) for facts in files}

    assert inherit(links, predecessors(files)) == links


def test_a_file_does_not_continue_itself() -> None:
    assert predecessors([LinkFacts(id="a1", first_parent_uuid="x", last_uuid="x")]) == {}


def test_files_without_uuids_continue_nothing() -> None:
    assert predecessors([LinkFacts(id="a1"), LinkFacts(id="a2")]) == {}
