"""Agents nobody named -> calls: by team summary, by the same prompt, and last by position."""

from collections import deque
from collections.abc import Iterable

from unspool.derive.agents.board import Board, Owned, Tie
from unspool.model.message import LinkFacts
from unspool.model.sidecars import AgentMeta


def by_team(board: Board, agents: Iterable[LinkFacts]) -> None:
    """Tie team members: by name, or the first file whose summary is the call's description."""
    for agent in agents:
        if agent.id in board.ties:
            continue
        found = _by_name(board, agent) or _by_summary(board, agent)
        if found is not None:
            board.tie(agent.id, Tie(found, "", "team"))


def by_prompt(board: Board, agents: Iterable[LinkFacts]) -> None:
    """Tie agents whose first message is, word for word, a call's prompt."""
    calls: dict[str, list[Owned]] = {}
    for owned in board.open_calls():
        calls.setdefault(owned.call.spawn.prompt_digest, []).append(owned)
    for agent in agents:
        if agent.id in board.ties or not agent.prompt_digest:
            continue
        same = calls.get(agent.prompt_digest, [])
        found = next((one for one in same if not board.is_below(one.owner, agent.id)), None)
        if found is not None:
            same.remove(found)
            board.tie(agent.id, Tie(found.call.tool_use_id, found.owner, "prompt"))


def by_position(board: Board, files: Iterable[LinkFacts], agents: Iterable[LinkFacts]) -> None:
    """Pair what is left in each transcript: the first agent to start with the first call."""
    calls: dict[str, list[Owned]] = {}
    for owned in board.open_calls():
        if owned.call.tool_use_id not in board.teams:
            calls.setdefault(owned.owner, []).append(owned)
    left = [agent for agent in agents if not _is_of_many(agent)]
    for owner in files:
        if owner.id in calls:
            left = [agent for agent in left if agent.id not in board.ties]
            _pair(board, owner, calls[owner.id], left)


def _pair(
    board: Board, owner: LinkFacts, calls: Iterable[Owned], agents: Iterable[LinkFacts]
) -> None:
    waiting = deque(calls)
    for agent in agents:
        if not waiting:
            return
        if _may_start(owner, waiting[0], agent) and not board.is_below(owner.id, agent.id):
            task_id = waiting.popleft().call.tool_use_id
            board.tie(agent.id, Tie(task_id, owner.id, "position"))


def _by_name(board: Board, agent: LinkFacts) -> str | None:
    meta = agent.meta or AgentMeta()
    for task_id, team in board.teams.items():
        name = team.member_name
        if agent.id in (name, f"{name}@{team.team_name}"):
            return task_id
        if (meta.name, meta.team_name) == (name, team.team_name):
            return task_id
    return None


def _by_summary(board: Board, agent: LinkFacts) -> str | None:
    for task_id in board.teams if agent.teammate_summary else ():
        call = board.call(task_id)
        described = call is not None and call.spawn.description == agent.teammate_summary
        if described and not board.is_taken(task_id):
            return task_id
    return None


def _is_of_many(agent: LinkFacts) -> bool:
    """Whether a team or a workflow started it, and so no call for one agent."""
    is_mate = agent.teammate_id or agent.teammate_summary
    return bool(is_mate) or agent.kind == "workflow_subagent"


def _may_start(owner: LinkFacts, owned: Owned, agent: LinkFacts) -> bool:
    """Whether nothing in the sidecar or the times speaks against it."""
    parent = agent.meta.parent_agent_id if agent.meta else None
    if parent not in (None, owner.id):
        return False
    if agent.start is None:
        return True
    called, ended = owned.call.at, owner.end if owner.id else None
    return (called or 0) <= agent.start and (ended is None or agent.start <= ended)
