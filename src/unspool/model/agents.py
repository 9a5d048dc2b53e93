"""What each transcript says about subagents, and the links drawn from all of it."""

from typing import Literal, TypeAlias

from msgspec import Struct

from unspool.model.document import Proof, Team
from unspool.model.files import AgentKind
from unspool.model.message import AgentReport, Spawn
from unspool.model.sidecars import AgentMeta

FactsKind: TypeAlias = Literal["main", AgentKind, "inline_subagent"]


class SpawnCall(Struct, frozen=True, gc=False):
    """A call that starts an agent, or a workflow of them."""

    tool_use_id: str
    spawn: Spawn
    tool: str
    at: int | None = None
    line: int = 0


class Claim(Struct, frozen=True, gc=False):
    """A line that ties an agent to a call, and which proof that is."""

    proof: Proof
    report: AgentReport  # its tool_use_id is filled in from the line around it


class Facts(Struct, frozen=True, kw_only=True):
    """What one transcript says that linking asks for; the main one has no id."""

    id: str = ""
    path: str = ""
    kind: FactsKind = "main"
    workflow: str = ""  # the run's directory name
    start: int | None = None
    end: int | None = None
    messages: int = 0
    prompt_digest: str = ""
    is_warmup: bool = False
    teammate_id: str = ""  # who wrote the first user message, in a team
    teammate_summary: str = ""
    first_parent_uuid: str = ""
    last_uuid: str = ""
    calls: tuple[SpawnCall, ...] = ()
    claims: tuple[Claim, ...] = ()
    labels: dict[str, str] = {}  # agent -> its name in a workflow's journal
    finished: dict[str, int | None] = {}  # agent -> when this transcript says it ended
    meta: AgentMeta | None = None
    is_ongoing: bool = False
    row: bytes = b""  # what the session's row asks about it, packed
    inline: tuple["Facts", ...] = ()  # of a main file: the agents that wrote into it


class Link(Struct, frozen=True, kw_only=True):
    """Who started an agent, and what proves it."""

    agent_id: str
    parent_task_id: str | None = None
    parent_agent_id: str | None = None  # None: the main conversation
    proof: Proof = "none"
    description: str = ""
    subagent_type: str = ""
    team: Team | None = None
