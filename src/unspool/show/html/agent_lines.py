"""Subagents -> lines of a tree, each with its cost and how it was linked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import structs

from unspool.model.document import Subagent
from unspool.show import safe, times
from unspool.show.html.components import Number, cost_number, summed_usd
from unspool.show.html.step_types import AgentLine

_DEEPEST: Final = 12
_PROOFS: Final = {
    "meta": "linked by its metadata file",
    "agentId": "linked by the agent id in the call's result",
    "notification": "linked by its notification",
    "queue": "linked by the queue",
    "progress": "linked by its progress",
    "team": "linked by its team",
    "prompt": "linked by an identical prompt, a guess",
    "position": "linked by position, a guess",
    "none": "parent unknown",
}


def agent_line(agent: Subagent, depth: int = 0) -> AgentLine:
    """One agent."""
    kind = agent.team.member_name if agent.team and agent.team.member_name else agent.subagent_type
    return AgentLine(
        id=agent.id,
        title=safe.brief(agent.description, 300) or agent.id,
        about=safe.brief(kind, 60),
        cost=cost_number(agent.metrics, "this agent"),
        took=times.duration(agent.duration_ms) if agent.duration_ms else "",
        proof=_PROOFS[agent.proof],
        depth=min(depth, _DEEPEST),
        is_ongoing=agent.is_ongoing,
    )


def inclusive_line(
    agent: Subagent, agents: Mapping[str, Subagent], started: Mapping[str, Sequence[str]]
) -> AgentLine:
    """One agent, with what all agents below it cost."""
    line = agent_line(agent)
    below = [agents[one.id].metrics for one in agents_below(agent.id, agents, started)]
    if not below:
        return line
    nested = summed_usd(below)
    why = f"{line.cost.text} by this agent and {nested} by the agents it started."
    total = Number(summed_usd([agent.metrics, *below]), f"{why} {line.cost.why}")
    return structs.replace(line, cost=total, nested=nested)


def agents_below(
    id: str, agents: Mapping[str, Subagent], started: Mapping[str, Sequence[str]]
) -> tuple[AgentLine, ...]:
    """All agents below one agent, at any depth."""
    return tuple(_walk(started.get(id, ()), agents, started, {id}))


def agent_tree(agents: Mapping[str, Subagent]) -> tuple[AgentLine, ...]:
    """All agents of a session as a tree, each exactly once."""
    roots = [one.id for one in agents.values() if one.parent_agent_id not in agents]
    visited: set[str] = set()
    started = agent_children(agents.values())
    lines = list(_walk(roots, agents, started, visited))
    # A cycle of agents has no root: take the first one as root.
    rest = [id for id in agents if id not in visited]
    return (*lines, *_walk(rest, agents, started, visited))


def _walk(
    first: Sequence[str],
    agents: Mapping[str, Subagent],
    started: Mapping[str, Sequence[str]],
    visited: set[str],
) -> Iterator[AgentLine]:
    waiting = [(id, 0) for id in reversed(first)]
    while waiting:
        id, depth = waiting.pop()
        if id in visited:
            continue
        visited.add(id)
        yield agent_line(agents[id], depth)
        waiting += [(child, depth + 1) for child in reversed(started.get(id, ()))]


def agent_children(agents: Iterable[Subagent]) -> dict[str, list[str]]:
    """Ids of the agents that each agent started."""
    children: dict[str, list[str]] = {}
    for agent in agents:
        children.setdefault(agent.parent_agent_id or "", []).append(agent.id)
    return children
