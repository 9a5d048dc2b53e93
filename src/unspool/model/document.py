"""The session document: what `show --json`, the library and the API give, name by name.

Times are ISO 8601 with milliseconds and `Z`; money is a number of US dollars, null where a
model has no known price. Field names are a contract: additions are welcome, renames are not.
"""

from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType

Time: TypeAlias = str | None
StatusName: TypeAlias = Literal[
    "waiting_for_approval", "limited", "failed", "working", "waiting_for_input", "idle", "ended"
]
Evidence: TypeAlias = Literal["registry", "hook", "transcript", "inferred"]
SessionOrigin: TypeAlias = Literal["transcript", "hook", "agents", "registry"]
# Whether every session of the roots was asked who owns a response, or only the marks that a fork
# or a resumed session leaves: then a figure may hold what an unmarked copy repeats.
Ownership: TypeAlias = Literal["exact", "by_marks"]
ChunkType: TypeAlias = Literal["user", "ai", "system", "compact"]
StepType: TypeAlias = Literal[
    "thinking", "tool_call", "tool_result", "subagent", "output", "interruption", "notice", "hook"
]
ToolState: TypeAlias = Literal["ok", "error", "rejected", "interrupted", "running", "no_result"]
Proof: TypeAlias = Literal[
    "meta",
    "agentId",
    "notification",
    "queue",
    "progress",
    "team",
    "prompt",
    "position",
    "none",
]


class Status(Struct, frozen=True, rename="camel"):
    state: StatusName
    since: Time = None
    evidence: Evidence = "inferred"
    until: Time = None  # when the usage limit that stopped it is reset
    error: str = ""  # what Claude Code wrote when a limit or an error stopped it


class PendingTool(Struct, frozen=True, rename="camel"):
    """The last call still without a result."""

    tool_use_id: str
    name: str
    summary: str = ""
    since: Time = None


class Files(Struct, frozen=True, rename="camel"):
    modified: tuple[str, ...] = ()


class SessionLink(Struct, frozen=True, rename="camel"):
    """Another session, and what ties it to this one."""

    session_id: str
    confidence: float = 1.0
    reason: str = ""


class SessionLinks(Struct, frozen=True, rename="camel"):
    plan: SessionLink | None = None
    implementation: SessionLink | None = None
    forked_from: SessionLink | None = None
    forks: tuple[SessionLink, ...] = ()
    resumed_from: SessionLink | None = None


class TodoItem(Struct, frozen=True, rename="camel"):
    content: str
    status: str = "pending"
    active_form: str = ""


class BackgroundJob(Struct, frozen=True, rename="camel"):
    """The background job that runs a session; "" where it does not say."""

    id: str
    name: str = ""
    state: str = ""  # working | blocked | done | failed | stopped
    detail: str = ""
    needs: str = ""
    intent: str = ""


class PullRequest(Struct, frozen=True, rename="camel"):
    number: int | None = None
    url: str = ""
    repository: str = ""


class ProjectGroup(Struct, frozen=True, kw_only=True, rename="camel"):
    """The project that groups worktrees and clones of one repository."""

    id: str  # the projectId of its main checkout, or the name that unspool.toml gives it
    name: str
    path: str = ""  # of its main checkout; "" if unknown


class SessionInfo(Struct, frozen=True, kw_only=True, rename="camel"):
    """Who, where, when and how it stands; null means unknown."""

    id: str
    project_id: str = ""
    project_path: str = ""
    project_name: str = ""
    project_group: ProjectGroup | None = None
    title: str = ""
    goal: str = ""
    recent_output: str | None = None
    slug: str | None = None
    git_branch: str | None = None
    version: str | None = None
    model: str | None = None
    models: tuple[str, ...] | None = None
    origin: SessionOrigin = "transcript"
    start_time: Time = None
    end_time: Time = None  # of its last message
    duration_ms: int | None = None
    status: Status = Status("idle")
    pending_tool: PendingTool | None = None
    is_subagent: bool = False
    entrypoint: str | None = None
    files: Files | None = None
    links: SessionLinks = SessionLinks()
    task_list: tuple[TodoItem, ...] | None = None  # of `tasks/` or `todos/`
    plan_file: str | None = None
    plan_text: str | None = None  # the beginning of a long one
    job: BackgroundJob | None = None
    todos: tuple[TodoItem, ...] | None = None
    pull_requests: tuple[PullRequest, ...] | None = None

    @property
    def project_label(self) -> str:
        """The name to show for its project: that of the repository, not of one worktree of it."""
        group = self.project_group
        # Of a directory of which nothing is known, the group is the directory's own id.
        if group is not None and not self.project_id.startswith(group.name):
            return group.name
        return self.project_name or self.project_id

    @property
    def shown_todos(self) -> tuple[TodoItem, ...]:
        """The list to show: files are ahead of lines where several sessions share their tasks."""
        return self.task_list or self.todos or ()


class Metrics(Struct, frozen=True, kw_only=True, rename="camel"):
    """Counts over unique API responses; `messageCount` counts lines of the conversation."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    ephemeral5m_tokens: int = 0
    ephemeral1h_tokens: int = 0
    total_tokens: int = 0
    message_count: int | None = 0
    cost_usd: float | None = 0.0
    unpriced: tuple[str, ...] = ()
    lower_bound: bool = False
    duration_ms: int = 0


class ClientCost(Struct, frozen=True, rename="camel"):
    """The client's own running total, shown beside ours."""

    total_cost_usd: float
    has_unknown_model_cost: bool = False


class TotalMetrics(Metrics, frozen=True, kw_only=True, rename="camel"):
    cost_state: ClientCost | None = None
    ownership: Ownership = "exact"


class RepeatedUsage(Struct, frozen=True, kw_only=True, rename="camel"):
    """Responses copied into this session but owned by another; not included in its sums."""

    responses: int
    total_tokens: int
    cost_usd: float | None
    of: tuple[str, ...]  # ids of the sessions that own them


class SessionMetrics(Struct, frozen=True, rename="camel"):
    main: Metrics
    subagents: Metrics
    total: TotalMetrics
    repeated: RepeatedUsage | None = None
    earlier_responses: int = 0  # counted, though only an earlier version of a file has them
    reported_responses: int = 0  # counted, though only progress lines of the parent have them
    unknown_agents: int = 0  # that ran, and nothing tells what they used


class StepTokens(Struct, frozen=True, rename="camel"):
    """Estimates of the tokens of the step itself; a subagent step carries measured counts."""

    input: int = 0
    output: int = 0
    cached: int = 0


class Step(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    type: StepType
    start_time: Time = None
    duration_ms: int = 0
    is_gap_filled: bool = False
    effective_duration_ms: int = 0
    text: str | UnsetType = UNSET
    tool_use_id: str | UnsetType = UNSET
    agent_id: str | UnsetType = UNSET
    tokens: StepTokens = StepTokens()
    accumulated_context: int = 0
    is_error: bool = False
    name: str = ""
    model: str = ""
    line: int = 0


class Chunk(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    type: ChunkType
    start_time: Time = None
    end_time: Time = None
    duration_ms: int = 0
    metrics: Metrics = Metrics()
    messages: tuple[str, ...] = ()
    text: str | UnsetType = UNSET
    steps: tuple[Step, ...] | UnsetType = UNSET
    turn: int | None = None
    line: int = 0
    voice: str = ""
    is_interrupted: bool = False
    branch: int = 0
    images: int = 0  # in a prompt


class ToolHook(Struct, frozen=True, rename="camel"):
    """What hooks said about a call: the approval decision, and how long it took."""

    decision: str = ""
    waited_ms: int | None = None
    events: tuple[str, ...] = ()
    by: str = ""  # who decided: user, hook or rule


class ToolExecution(Struct, frozen=True, kw_only=True, rename="camel"):
    tool_use_id: str
    name: str
    input: Raw
    result: Raw | UnsetType = UNSET
    tool: dict[str, Any] | UnsetType = UNSET  # `kind`, and what is noted of its result
    state: ToolState = "no_result"
    start_time: Time = None
    end_time: Time = None
    duration_ms: int | None = None
    agent_id: str | UnsetType = UNSET
    chunk_id: str | None = None
    hook: ToolHook | UnsetType = UNSET
    line: int = 0
    result_line: int | None = None


class Team(Struct, frozen=True, rename="camel"):
    team_name: str = ""
    member_name: str = ""
    member_color: str = ""


class Subagent(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    file_path: str = ""
    parent_task_id: str | None = None
    parent_agent_id: str | None = None
    depth: int = 1
    proof: Proof = "none"
    description: str = ""
    subagent_type: str = ""
    is_parallel: bool = False
    is_ongoing: bool = False
    team: Team | None = None
    start_time: Time = None
    end_time: Time = None
    duration_ms: int = 0
    metrics: Metrics = Metrics()


class Categories(Struct, frozen=True, rename="camel"):
    """Estimated tokens by where they came from."""

    claude_md: int = 0
    mentioned_files: int = 0
    tool_outputs: int = 0
    thinking_text: int = 0
    task_coordination: int = 0
    user_messages: int = 0
    skills: int = 0


class ContextTurn(Struct, frozen=True, kw_only=True, rename="camel"):
    """What one AI chunk added to the context, and what the context held then.

    `total` is calibrated so that it never exceeds `measured`; `rawTotal` is the plain estimate.
    """

    turn: int
    chunk_id: str
    new: Categories = Categories()
    total: Categories = Categories()
    raw_total: Categories = Categories()
    untracked: int = 0
    measured: int = 0


class Compaction(Struct, frozen=True, rename="camel"):
    trigger: str = ""
    pre_tokens: int | None = None
    post_tokens: int | None = None
    delta: int | None = None


class Phase(Struct, frozen=True, kw_only=True, rename="camel"):
    number: int
    first_chunk: str
    last_chunk: str
    peak_tokens: int = 0
    compaction: Compaction | None = None  # the one that ended this phase


class Context(Struct, frozen=True, rename="camel"):
    turns: tuple[ContextTurn, ...] = ()
    phases: tuple[Phase, ...] = ()
    consumed: int = 0
    files_known: bool = False  # sizes of CLAUDE.md and @-files were looked up


class Turn(Struct, frozen=True, kw_only=True, rename="camel"):
    """A logical turn: one prompt and all that answered it."""

    index: int
    prompt: str = ""
    start_time: Time = None
    end_time: Time = None
    duration_ms: int = 0
    reported_duration_ms: int | None = None
    models: tuple[str, ...] = ()
    metrics: Metrics = Metrics()
    stop_reason: str = ""
    tool_calls: int = 0


class Diagnostics(Struct, frozen=True, kw_only=True, rename="camel"):
    lines: int = 0
    entries: int = 0
    bad_lines: int = 0
    salvaged: int = 0
    oversize: int = 0
    unknown_types: dict[str, int] = {}
    foreign: int = 0
    without_uuid: int = 0  # lines of the conversation that cannot be part of it for lack of an id
    capped: int = 0  # responses that count as $1,000, the most that one is believed to cost
    missing: str = ""  # what is not on this machine any more, or not yet, in a sentence


class SessionDocument(Struct, frozen=True, kw_only=True, rename="camel"):
    session: SessionInfo
    metrics: SessionMetrics
    chunks: tuple[Chunk, ...] = ()
    tool_executions: tuple[ToolExecution, ...] = ()
    subagents: tuple[Subagent, ...] = ()
    context: Context = Context()
    turns: tuple[Turn, ...] = ()
    diagnostics: Diagnostics = Diagnostics()


LineState: TypeAlias = Literal["entry", "unknown", "salvaged", "bad", "oversize"]


class LineRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """One line of a transcript file as it lies there: `show --lines`."""

    number: int
    offset: int
    length: int
    type: str
    subtype: str = ""
    uuid: str = ""
    timestamp: Time = None
    category: str = ""
    preview: str = ""
    state: LineState = "entry"
