"""What all transcripts of a session say -> one link per agent, by the best proof there is."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import structs

from unspool.derive.agents import guesses
from unspool.derive.agents.board import WORKFLOW, Board, Tie, run_key
from unspool.derive.agents.continuations import earlier, inherit
from unspool.derive.agents.tree import processes
from unspool.model.document import Proof, Team
from unspool.model.message import AgentLink, LinkFacts, Spawn
from unspool.model.sidecars import AgentMeta

_CLAIMS: Final[tuple[Proof, ...]] = ("agentId", "notification", "queue", "progress")
_NO_META: Final = AgentMeta()
_NO_SPAWN: Final = Spawn()


def link(main: LinkFacts, agents: Sequence[LinkFacts]) -> list[AgentLink]:
    """Link every agent to the call that started it, in the order they began."""
    agents = processes(agents)
    files = (main, *agents)
    board = Board(files)
    before = earlier(agents)
    _by_meta(board, agents)
    _by_claim(board, agents)
    firsts = [agent for agent in agents if agent.id not in before]
    guesses.by_team(board, firsts)
    guesses.by_prompt(board, firsts)
    guesses.by_position(board, files, firsts)
    labels = {id: label for facts in files for id, label in facts.labels.items()}
    known = {agent.id for agent in agents}
    drawn = {agent.id: _drawn(board, agent, known, labels) for agent in agents}
    return _forest(inherit(drawn, before))


def _by_meta(board: Board, agents: Sequence[LinkFacts]) -> None:
    for agent in agents:
        meta = agent.meta or _NO_META
        if meta.tool_use_id:
            board.tie(agent.id, Tie(meta.tool_use_id, meta.parent_agent_id or "", "meta"))


def _by_claim(board: Board, agents: Sequence[LinkFacts]) -> None:
    """Better proofs first, over all agents: a call goes to the agent with the best one."""
    for proof in _CLAIMS:
        for agent in agents:
            if agent.id in board.ties:
                continue
            tie = next(board.claims(proof, agent.id), None)
            if tie is None and agent.workflow:
                tie = board.runs.get(run_key(agent.workflow))
            if tie is not None:
                board.tie(agent.id, tie)


def _drawn(board: Board, agent: LinkFacts, known: set[str], labels: Mapping[str, str]) -> AgentLink:
    meta = agent.meta or _NO_META
    tie = board.ties.get(agent.id)
    call = board.call(tie.task_id) if tie else None
    # A workflow's call describes the run, not each of its agents.
    spawn = call.spawn if call and call.tool != WORKFLOW else _NO_SPAWN
    parent = tie.owner if tie else meta.parent_agent_id or ""
    proof: Proof = tie.proof if tie else "meta" if parent in known else "none"
    return AgentLink(
        agent_id=agent.id,
        parent_task_id=tie.task_id if tie else None,
        parent_agent_id=parent if parent in known else None,
        proof=proof,
        description=labels.get(agent.id) or meta.description or spawn.description,
        subagent_type=meta.agent_type or spawn.subagent_type,
        team=_team(board, tie, meta),
    )


def _team(board: Board, tie: Tie | None, meta: AgentMeta) -> Team | None:
    team = board.teams.get(tie.task_id) if tie else None
    if team is None and meta.team_name:
        team = Team(meta.team_name, meta.name or "")
    if team is None or team.member_color:
        return team
    return structs.replace(team, member_color=meta.color or "")


def _forest(links: Mapping[str, AgentLink]) -> list[AgentLink]:
    """The links without circles: sidecars may lie, and a reader must reach the root."""
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
