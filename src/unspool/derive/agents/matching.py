"""Agents of a session -> the calls that started them, by the best evidence there is.

A sidecar or a line that names agent and call decides first (`match_by_meta`, `match_by_claim`).
The other agents are matched by team, by equal prompts, and last by position.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from unspool.model.document import Proof, Team
from unspool.model.message import AgentClaim, AgentReport, LinkFacts, SpawnCall
from unspool.model.sidecars import AgentMeta

WORKFLOW: Final = "Workflow"
_CLAIMS: Final[tuple[Proof, ...]] = ("agentId", "notification", "queue", "progress")
_NO_META: Final = AgentMeta()


class CallMatch(Struct, frozen=True, gc=False):
    """An agent's call, the transcript that has it ("" is the main one), and the proof."""

    task_id: str
    owner: str
    proof: Proof


class OwnedCall(Struct, frozen=True, gc=False):
    """A call and the transcript that has it."""

    owner: str
    call: SpawnCall


class CallMatcher:
    """Calls and claims of all transcripts, the main one first, and the matches made so far."""

    def __init__(self, files: Sequence[LinkFacts]) -> None:
        self.matches: dict[str, CallMatch] = {}  # by agent
        self.teams: dict[str, Team] = {}  # by call
        self.runs: dict[str, CallMatch] = {}  # by workflow
        self._calls: dict[str, list[OwnedCall]] = {}
        self._claims: dict[tuple[Proof, str], list[tuple[str, AgentReport]]] = {}
        self._matched: set[str] = set()
        self._named: set[str] = set()  # calls whose result names the agent they started
        for facts in files:
            for call in facts.calls:
                self._add_call(OwnedCall(facts.id, call))
        for facts in files:
            for claim in facts.claims:
                self._add_claim(facts.id, claim)

    def call(self, task_id: str) -> SpawnCall | None:
        """The call of that id, in whichever transcript it is."""
        owned = self._calls.get(task_id)
        return owned[0].call if owned else None

    def owner(self, task_id: str, agent: str) -> str | None:
        """The transcript that made a call; an agent's own copy of it does not count."""
        owned = self._calls.get(task_id, ())
        return next((one.owner for one in owned if one.owner != agent), None)

    def claims(self, proof: Proof, agent: str) -> Iterator[CallMatch]:
        """The calls that other transcripts assign to this agent, known calls first."""
        unknown: list[CallMatch] = []
        for owner, report in self._claims.get((proof, agent), ()):
            task_id = report.tool_use_id
            if not task_id or owner == agent or task_id in self._matched:
                continue
            if task_id in self._calls:
                yield CallMatch(task_id, owner, proof)
            elif proof != "agentId" or report.status:
                # An id in a result's text alone may be anything a tool printed.
                unknown.append(CallMatch(task_id, owner, proof))
        yield from unknown

    def open_calls(self) -> list[OwnedCall]:
        """Calls for one agent each that have no match yet, and whose result names no agent."""
        closed = self._matched | self._named
        return [
            owned[0]
            for task_id, owned in self._calls.items()
            if task_id not in closed and owned[0].call.tool != WORKFLOW
        ]

    def is_matched(self, task_id: str) -> bool:
        return task_id in self._matched

    def is_below(self, owner: str, agent: str) -> bool:
        """Whether a transcript is the agent's own, or its descendant by the matches so far."""
        visited: set[str] = set()
        while owner != agent and owner in self.matches and owner not in visited:
            visited.add(owner)
            owner = self.matches[owner].owner
        return owner == agent

    def match(self, agent: str, match: CallMatch) -> None:
        """Assign a call to an agent; its owner is the transcript that made the call."""
        owner = self.owner(match.task_id, agent)
        self.matches[agent] = match if owner is None else structs.replace(match, owner=owner)
        self._matched.add(match.task_id)

    def _add_call(self, owned: OwnedCall) -> None:
        call = owned.call
        self._calls.setdefault(call.tool_use_id, []).append(owned)
        if call.spawn.team_name and call.spawn.name:
            self.teams.setdefault(call.tool_use_id, Team(call.spawn.team_name, call.spawn.name))

    def _add_claim(self, owner: str, claim: AgentClaim) -> None:
        report = claim.report
        self._claims.setdefault((claim.proof, report.agent_id), []).append((owner, report))
        if report.agent_id:
            self._named.add(report.tool_use_id)
        for run in (report.run_id, report.transcript_dir):
            if run:
                match = CallMatch(report.tool_use_id, owner, claim.proof)
                self.runs.setdefault(run_key(run), match)
        if report.status == "teammate_spawned":
            self._add_team(report)

    def _add_team(self, report: AgentReport) -> None:
        """The call names the team; since teams are implicit, the result alone does."""
        name, _, team = report.agent_id.partition("@")
        implied = Team(report.team_name or team, report.name or name)
        known = self.teams.get(report.tool_use_id, implied)
        self.teams[report.tool_use_id] = structs.replace(known, member_color=report.color)


def run_key(run: str) -> str:
    """A workflow's run by its id or its directory: `wf_1a2b-3c` and `…/wf_1a2b-3c/` are one."""
    return run.replace("\\", "/").rstrip("/").rpartition("/")[2].removeprefix("wf_")


def match_by_meta(matcher: CallMatcher, agents: Iterable[LinkFacts]) -> None:
    """Match agents whose sidecar names their call."""
    for agent in agents:
        meta = agent.meta or _NO_META
        if meta.tool_use_id:
            match = CallMatch(meta.tool_use_id, meta.parent_agent_id or "", "meta")
            matcher.match(agent.id, match)


def match_by_claim(matcher: CallMatcher, agents: Sequence[LinkFacts]) -> None:
    """Better proofs first, over all agents: a call goes to the agent with the best one."""
    for proof in _CLAIMS:
        for agent in agents:
            if agent.id in matcher.matches:
                continue
            match = next(matcher.claims(proof, agent.id), None)
            if match is None and agent.workflow:
                match = matcher.runs.get(run_key(agent.workflow))
            if match is not None:
                matcher.match(agent.id, match)


def match_by_team(matcher: CallMatcher, agents: Iterable[LinkFacts]) -> None:
    """Match team members by name, else by a summary that is a call's description."""
    for agent in agents:
        if agent.id in matcher.matches:
            continue
        task_id = _by_name(matcher, agent) or _by_summary(matcher, agent)
        if task_id is not None:
            matcher.match(agent.id, CallMatch(task_id, "", "team"))


def match_by_prompt(matcher: CallMatcher, agents: Iterable[LinkFacts]) -> None:
    """Match agents whose first message is, word for word, a call's prompt."""
    calls: dict[str, list[OwnedCall]] = {}
    for owned in matcher.open_calls():
        calls.setdefault(owned.call.spawn.prompt_digest, []).append(owned)
    for agent in agents:
        if agent.id in matcher.matches or not agent.prompt_digest:
            continue
        same = calls.get(agent.prompt_digest, [])
        first = next((one for one in same if not matcher.is_below(one.owner, agent.id)), None)
        if first is not None:
            same.remove(first)
            matcher.match(agent.id, CallMatch(first.call.tool_use_id, first.owner, "prompt"))


def match_by_position(
    matcher: CallMatcher, files: Iterable[LinkFacts], agents: Iterable[LinkFacts]
) -> None:
    """Pair what is left in each transcript: the first agent to start with the first call."""
    calls: dict[str, list[OwnedCall]] = {}
    for owned in matcher.open_calls():
        if owned.call.tool_use_id not in matcher.teams:
            calls.setdefault(owned.owner, []).append(owned)
    left = [agent for agent in agents if not _is_in_group(agent)]
    for owner in files:
        if owner.id in calls:
            left = [agent for agent in left if agent.id not in matcher.matches]
            _pair(matcher, owner, calls[owner.id], left)


def _pair(
    matcher: CallMatcher,
    owner: LinkFacts,
    calls: Iterable[OwnedCall],
    agents: Iterable[LinkFacts],
) -> None:
    waiting = deque(calls)
    for agent in agents:
        if not waiting:
            return
        if _may_start(owner, waiting[0], agent) and not matcher.is_below(owner.id, agent.id):
            task_id = waiting.popleft().call.tool_use_id
            matcher.match(agent.id, CallMatch(task_id, owner.id, "position"))


def _by_name(matcher: CallMatcher, agent: LinkFacts) -> str | None:
    meta = agent.meta or _NO_META
    for task_id, team in matcher.teams.items():
        name = team.member_name
        if agent.id in (name, f"{name}@{team.team_name}"):
            return task_id
        if (meta.name, meta.team_name) == (name, team.team_name):
            return task_id
    return None


def _by_summary(matcher: CallMatcher, agent: LinkFacts) -> str | None:
    for task_id in matcher.teams if agent.teammate_summary else ():
        call = matcher.call(task_id)
        is_same = call is not None and call.spawn.description == agent.teammate_summary
        if is_same and not matcher.is_matched(task_id):
            return task_id
    return None


def _is_in_group(agent: LinkFacts) -> bool:
    """Whether a team or a workflow started it, and so no call for one agent."""
    is_mate = agent.teammate_id or agent.teammate_summary
    return bool(is_mate) or agent.kind == "workflow_subagent"


def _may_start(owner: LinkFacts, owned: OwnedCall, agent: LinkFacts) -> bool:
    """Whether neither the sidecar nor the times contradict it."""
    parent = agent.meta.parent_agent_id if agent.meta else None
    if parent not in (None, owner.id):
        return False
    if agent.start is None:
        return True
    call_at, end = owned.call.at, owner.end if owner.id else None
    return (call_at or 0) <= agent.start and (end is None or agent.start <= end)
