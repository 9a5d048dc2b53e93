"""Facts and links -> which files are agents, how deep each sits, which ran side by side."""

from collections.abc import Iterable, Mapping, Sequence

from unspool.model.message import AgentLink, LinkFacts

# Compactions, and guesses at the next prompt: the client starts them, no call does.
_ITS_OWN = ("acompact", "aprompt_suggestion")
_LAYOUTS = {"legacy_subagent": 1, "inline_subagent": 2}
_SIDE_BY_SIDE = 100  # ms between the starts of agents that one answer called together


def is_process(facts: LinkFacts) -> bool:
    """Whether a file holds work that somebody asked for, and not the client's own or nothing."""
    return (
        bool(facts.id)
        and facts.messages > 0
        and not facts.is_warmup
        and not facts.id.startswith(_ITS_OWN)
    )


def processes(agents: Iterable[LinkFacts]) -> list[LinkFacts]:
    """Each agent once, by start; a copy in an older layout gives way."""
    found: dict[str, LinkFacts] = {}
    for facts in agents:
        known = found.get(facts.id)
        if is_process(facts) and (known is None or _age(known) > _age(facts)):
            found[facts.id] = facts
    return sorted(found.values(), key=by_start)


def by_start(facts: LinkFacts) -> tuple[bool, int, str]:
    """The order of agents: by start, those without a time last."""
    return facts.start is None, facts.start or 0, facts.id


def depths(links: Iterable[AgentLink]) -> dict[str, int]:
    """How far each agent is from the main conversation, whose own agents are at 1."""
    parents = {link.agent_id: link.parent_agent_id for link in links}
    known: dict[str, int] = {}
    for agent in parents:
        path = _up(agent, parents, known)
        above = parents.get(path[-1]) if path else None
        depth = known.get(above, 0) if above else 0
        for one in reversed(path):
            depth += 1
            known[one] = depth
    return known


def _up(agent: str, parents: Mapping[str, str | None], known: Mapping[str, int]) -> list[str]:
    """The agent and those above it that have no depth yet; a circle is cut where it closes."""
    path: dict[str, None] = {}
    at: str | None = agent
    while at is not None and at in parents and at not in known and at not in path:
        path[at] = None
        at = parents[at]
    return list(path)


def parallel(agents: Sequence[LinkFacts]) -> frozenset[str]:
    """The agents that began within 100 ms of the first of their group, where that is not one."""
    begun = sorted((facts.start, facts.id) for facts in agents if facts.start is not None)
    found: set[str] = set()
    first: tuple[int, str] | None = None
    for start, agent in begun:
        if first is not None and start - first[0] <= _SIDE_BY_SIDE:
            found |= {first[1], agent}
        else:
            first = (start, agent)
    return frozenset(found)


def _age(facts: LinkFacts) -> int:
    """How old the layout is that an agent was found in."""
    return _LAYOUTS.get(facts.kind, 0)
