"""Every call and claim of a session, and which agent each call has been tied to."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from unspool.model.document import Proof, Team
from unspool.model.message import AgentClaim, AgentReport, LinkFacts, SpawnCall

WORKFLOW: Final = "Workflow"


class Tie(Struct, frozen=True, gc=False):
    """An agent's call, the transcript that holds it ("" is the main one), and the proof."""

    task_id: str
    owner: str
    proof: Proof


class Owned(Struct, frozen=True, gc=False):
    """A call and the transcript it was found in."""

    owner: str
    call: SpawnCall


class Board:
    """Calls and claims of all transcripts, main first, and the ties made so far."""

    def __init__(self, files: Sequence[LinkFacts]) -> None:
        self.ties: dict[str, Tie] = {}
        self.teams: dict[str, Team] = {}  # by call
        self.runs: dict[str, Tie] = {}  # by workflow
        self._calls: dict[str, list[Owned]] = {}
        self._claims: dict[tuple[Proof, str], list[tuple[str, AgentReport]]] = {}
        self._taken: set[str] = set()
        self._named: set[str] = set()  # calls that say themselves which agent they started
        for facts in files:
            for call in facts.calls:
                self._place(Owned(facts.id, call))
        for facts in files:
            for claim in facts.claims:
                self._file(facts.id, claim)

    def call(self, task_id: str) -> SpawnCall | None:
        """The call of that id, wherever it stands."""
        found = self._calls.get(task_id)
        return found[0].call if found else None

    def owner(self, task_id: str, agent: str) -> str | None:
        """The transcript that made a call; an agent's own copy of it does not count."""
        found = self._calls.get(task_id, ())
        return next((owned.owner for owned in found if owned.owner != agent), None)

    def claims(self, proof: Proof, agent: str) -> Iterator[Tie]:
        """The calls that others tie to this agent, those we know first."""
        strangers: list[Tie] = []
        for owner, report in self._claims.get((proof, agent), ()):
            task_id = report.tool_use_id
            if not task_id or owner == agent or task_id in self._taken:
                continue
            if task_id in self._calls:
                yield Tie(task_id, owner, proof)
            elif proof != "agentId" or report.status:
                # An id in a result's text alone may be anything a tool printed.
                strangers.append(Tie(task_id, owner, proof))
        yield from strangers

    def open_calls(self) -> list[Owned]:
        """The calls for one agent each that no agent has been found for, and that name none."""
        settled = self._taken | self._named
        return [
            owned[0]
            for task_id, owned in self._calls.items()
            if task_id not in settled and owned[0].call.tool != WORKFLOW
        ]

    def is_taken(self, task_id: str) -> bool:
        """Whether a call has found its agent."""
        return task_id in self._taken

    def is_below(self, owner: str, agent: str) -> bool:
        """Whether a transcript is the agent's own, or one it led to by the ties so far."""
        seen: set[str] = set()
        while owner != agent and owner in self.ties and owner not in seen:
            seen.add(owner)
            owner = self.ties[owner].owner
        return owner == agent

    def tie(self, agent: str, tie: Tie) -> None:
        """Give an agent its call, at home in the transcript that made it."""
        owner = self.owner(tie.task_id, agent)
        self.ties[agent] = tie if owner is None else structs.replace(tie, owner=owner)
        self._taken.add(tie.task_id)

    def _place(self, owned: Owned) -> None:
        call = owned.call
        self._calls.setdefault(call.tool_use_id, []).append(owned)
        if call.spawn.team_name and call.spawn.name:
            self.teams.setdefault(call.tool_use_id, Team(call.spawn.team_name, call.spawn.name))

    def _file(self, owner: str, claim: AgentClaim) -> None:
        report = claim.report
        self._claims.setdefault((claim.proof, report.agent_id), []).append((owner, report))
        if report.agent_id:
            self._named.add(report.tool_use_id)
        for run in (report.run_id, report.transcript_dir):
            if run:
                self.runs.setdefault(run_key(run), Tie(report.tool_use_id, owner, claim.proof))
        if report.status == "teammate_spawned":
            self._recruit(report)

    def _recruit(self, report: AgentReport) -> None:
        """A team is told by the call, or since teams are implicit by its result alone."""
        name, _, team = report.agent_id.partition("@")
        implied = Team(report.team_name or team, report.name or name)
        told = self.teams.get(report.tool_use_id, implied)
        self.teams[report.tool_use_id] = structs.replace(told, member_color=report.color)


def run_key(run: str) -> str:
    """A workflow's run by its id or its directory: `wf_1a2b-3c` and `…/wf_1a2b-3c/` are one."""
    return run.replace("\\", "/").rstrip("/").rpartition("/")[2].removeprefix("wf_")
