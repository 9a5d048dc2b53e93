"""What all transcripts of a session say -> its agents, and one link per agent to its parent."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import structs

from unspool.derive.agents.matching import (
    WORKFLOW,
    CallMatch,
    CallMatcher,
    match_by_claim,
    match_by_meta,
    match_by_position,
    match_by_prompt,
    match_by_team,
)
from unspool.derive.reading.agent_ids import COMPACTING
from unspool.model.document import Proof, Team
from unspool.model.message import AgentLink, LinkFacts, Spawn
from unspool.model.sidecars import AgentMeta

_NO_META: Final = AgentMeta()
_NO_SPAWN: Final = Spawn()
# Compactions, and suggestions for the next prompt: the client starts them, no call does.
_CLIENT_AGENTS: Final = (COMPACTING, "aprompt_suggestion")
_LAYOUT_AGE: Final = {"legacy_subagent": 1, "inline_subagent": 2}


def is_process(facts: LinkFacts) -> bool:
    """Whether a file is an agent's work: not the client's own, not a warm-up, not empty."""
    return (
        bool(facts.id)
        and facts.messages > 0
        and not facts.is_warmup
        and not facts.id.startswith(_CLIENT_AGENTS)
    )


def processes(agents: Iterable[LinkFacts]) -> list[LinkFacts]:
    """Each agent once, by start; of two files the one in the newer layout."""
    newest: dict[str, LinkFacts] = {}
    for facts in agents:
        known = newest.get(facts.id)
        if is_process(facts) and (known is None or _layout_age(known) > _layout_age(facts)):
            newest[facts.id] = facts
    return sorted(newest.values(), key=by_start)


def _layout_age(facts: LinkFacts) -> int:
    return _LAYOUT_AGE.get(facts.kind, 0)


def by_start(facts: LinkFacts) -> tuple[bool, int, str]:
    """Sort key of agents: by start, those without a time last."""
    return facts.start is None, facts.start or 0, facts.id


def link_agents(main: LinkFacts, agents: Sequence[LinkFacts]) -> list[AgentLink]:
    """Link every agent to the call that started it, in the order they began."""
    agents = processes(agents)
    files = (main, *agents)
    matcher = CallMatcher(files)
    previous = predecessors(agents)
    match_by_meta(matcher, agents)
    match_by_claim(matcher, agents)
    firsts = [agent for agent in agents if agent.id not in previous]
    match_by_team(matcher, firsts)
    match_by_prompt(matcher, firsts)
    match_by_position(matcher, files, firsts)
    labels = {id: label for facts in files for id, label in facts.labels.items()}
    known = {agent.id for agent in agents}
    links = {agent.id: _link(matcher, agent, known, labels) for agent in agents}
    return _without_cycles(inherit(links, previous))


def _link(
    matcher: CallMatcher, agent: LinkFacts, known: set[str], labels: Mapping[str, str]
) -> AgentLink:
    meta = agent.meta or _NO_META
    match = matcher.matches.get(agent.id)
    call = matcher.call(match.task_id) if match else None
    # A workflow's call describes the run, not each of its agents.
    spawn = call.spawn if call and call.tool != WORKFLOW else _NO_SPAWN
    parent = match.owner if match else meta.parent_agent_id or ""
    proof: Proof = match.proof if match else "meta" if parent in known else "none"
    return AgentLink(
        agent_id=agent.id,
        parent_task_id=match.task_id if match else None,
        parent_agent_id=parent if parent in known else None,
        proof=proof,
        description=labels.get(agent.id) or meta.description or spawn.description,
        subagent_type=meta.agent_type or spawn.subagent_type,
        team=_team(matcher, match, meta),
    )


def _team(matcher: CallMatcher, match: CallMatch | None, meta: AgentMeta) -> Team | None:
    team = matcher.teams.get(match.task_id) if match else None
    if team is None and meta.team_name:
        team = Team(meta.team_name, meta.name or "")
    if team is None or team.member_color:
        return team
    return structs.replace(team, member_color=meta.color or "")


def _without_cycles(links: Mapping[str, AgentLink]) -> list[AgentLink]:
    """Sidecars may be wrong, and every chain of parents must end at the root."""
    parents = {id: link.parent_agent_id for id, link in links.items()}
    sound: set[str] = set()
    for agent in parents:
        path: dict[str, None] = {}
        at: str | None = agent
        while at is not None and at not in sound and at not in path:
            path[at] = None
            at = parents[at]
        if at is not None and at in path:
            parents[at] = None
        sound.update(path)
    return [structs.replace(link, parent_agent_id=parents[id]) for id, link in links.items()]


def predecessors(agents: Iterable[LinkFacts]) -> dict[str, str]:
    """Continued agents: agent -> the agent whose last line is the parent of its first."""
    agents = tuple(agents)
    last: dict[str, str] = {}
    for facts in agents:
        if facts.last_uuid:
            last.setdefault(facts.last_uuid, facts.id)
    pairs = ((facts.id, last.get(facts.first_parent_uuid)) for facts in agents)
    return {id: previous for id, previous in pairs if previous is not None and previous != id}


def inherit(links: Mapping[str, AgentLink], previous: Mapping[str, str]) -> dict[str, AgentLink]:
    """The links; what a continuation lacks comes from the file it continues."""
    result = dict(links)
    done: set[str] = set()
    for agent in links:
        for one in reversed(_chain(agent, previous, done)):
            done.add(one)
            link = result.get(previous.get(one, ""))
            if link is not None:
                result[one] = _inherit(result[one], link)
    return result


def _chain(agent: str, previous: Mapping[str, str], done: set[str]) -> list[str]:
    """The files from here back to the first; a cycle is cut where it closes."""
    path: dict[str, None] = {}
    at: str | None = agent
    while at is not None and at not in done and at not in path:
        path[at] = None
        at = previous.get(at)
    return list(path)


def _inherit(link: AgentLink, previous: AgentLink) -> AgentLink:
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


def depths(links: Iterable[AgentLink]) -> dict[str, int]:
    """How far each agent is from the main conversation, whose own agents have depth 1."""
    parents = {link.agent_id: link.parent_agent_id for link in links}
    known: dict[str, int] = {}
    for agent in parents:
        path = _ancestors(agent, parents, known)
        above = parents.get(path[-1]) if path else None
        depth = known.get(above, 0) if above else 0
        for one in reversed(path):
            depth += 1
            known[one] = depth
    return known


def _ancestors(
    agent: str, parents: Mapping[str, str | None], known: Mapping[str, int]
) -> list[str]:
    """The agent and those above it that have no depth yet; a cycle is cut where it closes."""
    path: dict[str, None] = {}
    at: str | None = agent
    while at is not None and at in parents and at not in known and at not in path:
        path[at] = None
        at = parents[at]
    return list(path)
