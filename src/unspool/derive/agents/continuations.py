"""Links of agents that went on in another file: what the earlier file knew, the later one gets."""

from collections.abc import Iterable, Mapping

from msgspec import structs

from unspool.model.message import AgentLink, LinkFacts


def earlier(agents: Iterable[LinkFacts]) -> dict[str, str]:
    """Agent -> the agent whose last line is the parent of its first."""
    agents = tuple(agents)
    last: dict[str, str] = {}
    for facts in agents:
        if facts.last_uuid:
            last.setdefault(facts.last_uuid, facts.id)
    found = ((facts.id, last.get(facts.first_parent_uuid)) for facts in agents)
    return {id: before for id, before in found if before is not None and before != id}


def inherit(links: Mapping[str, AgentLink], before: Mapping[str, str]) -> dict[str, AgentLink]:
    """The links with what each continuation lacks taken from the file it goes on from."""
    known = dict(links)
    settled: set[str] = set()
    for agent in known:
        for one in reversed(_back(agent, before, settled)):
            settled.add(one)
            previous = known.get(before.get(one, ""))
            if previous is not None:
                known[one] = _heir(known[one], previous)
    return known


def _back(agent: str, before: Mapping[str, str], settled: set[str]) -> list[str]:
    """The files from here back to the first; a circle is cut where it closes."""
    path: dict[str, None] = {}
    at: str | None = agent
    while at is not None and at not in settled and at not in path:
        path[at] = None
        at = before.get(at)
    return list(path)


def _heir(link: AgentLink, previous: AgentLink) -> AgentLink:
    own = link if link.proof != "none" else previous
    return structs.replace(
        link,
        parent_task_id=own.parent_task_id,
        parent_agent_id=own.parent_agent_id,
        proof=own.proof,
        description=link.description or previous.description,
        subagent_type=link.subagent_type or previous.subagent_type,
        team=link.team or previous.team,
    )
