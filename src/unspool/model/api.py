"""Answers of the API and of `--json` beside the session document: sessions, lines, search, costs.

Names of cost reports are ccusage's, with a few of our own. Field names are a contract.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

from unspool.model.document import LineState, Metrics, SessionDocument, Time
from unspool.model.session import QuotaStatus

SearchScope: TypeAlias = Literal["devtools", "all"]


class SearchResult(Struct, frozen=True, kw_only=True, rename="camel"):
    """A line that a search found; `ranges` are places in `snippet`, in characters."""

    session_id: str
    project_id: str
    project_name: str = ""
    title: str = ""
    agent_id: str = ""
    turn: int = 0
    line: int
    event_id: str
    kind: str = ""
    timestamp: str | None = None
    snippet: str = ""
    ranges: tuple[tuple[int, int], ...] = ()


class ChunkWindow(Struct, frozen=True, kw_only=True, rename={"first": "from"}):
    """Which chunks of how many a document holds."""

    first: int
    limit: int
    total: int


class SessionAnswer(SessionDocument, frozen=True, kw_only=True, rename="camel"):
    """A session's document; with a window, its chunks, calls, turns and context are of that."""

    window: ChunkWindow | UnsetType = UNSET
    pinned: bool = False
    hidden: bool = False


class MarksUpdate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change; what is left out stays as it is, an empty title is Claude Code's own."""

    pinned: bool | UnsetType = UNSET
    hidden: bool | UnsetType = UNSET
    title: Annotated[str, Meta(max_length=500)] | UnsetType = UNSET


class Marks(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a reader decided about a session."""

    project_id: str
    session_id: str
    pinned: bool = False
    hidden: bool = False
    title: str = ""


class ProjectCheckout(Struct, frozen=True, kw_only=True, rename="camel"):
    """All sessions of one directory."""

    id: str
    name: str = ""
    path: str = ""
    sessions: int = 0
    first_activity: Time = None
    last_activity: Time = None
    metrics: Metrics = Metrics()


class ProjectSummary(ProjectCheckout, frozen=True, kw_only=True, rename="camel"):
    """All sessions of one project: of every worktree and clone of its repository."""

    checkouts: tuple[ProjectCheckout, ...] = ()

    @property
    def checkout_ids(self) -> tuple[str, ...]:
        """The ids of its checkouts, or its own if it is one."""
        return tuple(one.id for one in self.checkouts) or (self.id,)


class RawLine(Struct, frozen=True, kw_only=True, rename="camel"):
    """One line of a transcript as it lies in its file, without its secrets."""

    number: int
    offset: int
    length: int
    event_id: str | None = None  # None: the index has not come so far yet
    type: str = ""
    state: LineState = "entry"
    text: str = ""
    is_cut: bool = False


class RevealedLine(Struct, frozen=True, rename="camel"):
    """A line's text with its secrets."""

    event_id: str
    text: str


class SearchAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """Lines that were found; partial where the time was up before all were looked at."""

    items: tuple[SearchResult, ...] = ()
    next_cursor: str | None = None
    is_partial: bool = False


class RemovedSecrets(Struct, frozen=True):
    """So many secrets of one kind at one place; of a page that is the id of an element."""

    place: str
    kind: str
    count: int = 1


class ModelBreakdown(Struct, frozen=True, kw_only=True, rename="camel"):
    """One model's part of a row."""

    model_name: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    cost: float | None = 0.0


class CostSums(Struct, frozen=True, kw_only=True, rename="camel"):
    """Tokens and dollars; null dollars: nothing of it has a known price."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    total_tokens: int = 0
    total_cost: float | None = 0.0
    unpriced: tuple[str, ...] = ()
    lower_bound: bool = False
    responses: int = 0


class CostMetadata(Struct, frozen=True, kw_only=True, rename="camel"):
    """What ccusage puts beside a row: programs made for it may read it."""

    agents: tuple[str, ...] | UnsetType = UNSET
    last_activity: str | UnsetType | None = UNSET


class CostItem(CostSums, frozen=True, kw_only=True, rename="camel"):
    """A day, week, month, session, project, model, or what was the cause."""

    date: str | UnsetType = UNSET
    week: str | UnsetType = UNSET
    month: str | UnsetType = UNSET
    session_id: str | UnsetType = UNSET
    period: str | UnsetType = UNSET  # the day, week, month or session again
    agent: str | UnsetType = UNSET
    metadata: CostMetadata | UnsetType = UNSET
    project_id: str | UnsetType = UNSET
    project_path: str | UnsetType = UNSET
    model_name: str | UnsetType = UNSET
    skill: str | UnsetType = UNSET
    mcp_server: str | UnsetType = UNSET
    agent_type: str | UnsetType = UNSET
    command: str | UnsetType = UNSET
    tool: str | UnsetType = UNSET
    first_activity: str | UnsetType | None = UNSET
    last_activity: str | UnsetType | None = UNSET
    models_used: tuple[str, ...] | UnsetType = UNSET
    model_breakdowns: tuple[ModelBreakdown, ...] | UnsetType = UNSET


class BlockTokens(Struct, frozen=True, kw_only=True, rename="camel"):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0


class BurnRate(Struct, frozen=True, kw_only=True, rename="camel"):
    """How fast a block is being used."""

    tokens_per_minute: float
    tokens_per_minute_for_indicator: float
    cost_per_hour: float


class Projection(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a block comes to at that pace."""

    remaining_minutes: int
    total_tokens: int
    total_cost: float


class BlockItem(Struct, frozen=True, kw_only=True, rename="camel"):
    """Five hours that a plan counts usage in, or a gap between two."""

    id: str | None
    start_time: str | None = None
    end_time: str | None = None
    actual_end_time: str | None = None
    is_active: bool = False
    is_gap: bool = False
    entries: int = 0
    token_counts: BlockTokens = BlockTokens()
    total_tokens: int = 0
    cost_usd: float | None = field(default=0.0, name="costUSD")
    models: tuple[str, ...] = ()
    burn_rate: BurnRate | None = None
    projection: Projection | None = None
    unpriced: tuple[str, ...] = ()
    lower_bound: bool = False
    responses: int = 0


class CostAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """One of the lists, and what it comes to; blocks have no total."""

    daily: tuple[CostItem, ...] | UnsetType = UNSET
    weekly: tuple[CostItem, ...] | UnsetType = UNSET
    monthly: tuple[CostItem, ...] | UnsetType = UNSET
    sessions: tuple[CostItem, ...] | UnsetType = UNSET
    projects: tuple[CostItem, ...] | UnsetType = UNSET
    models: tuple[CostItem, ...] | UnsetType = UNSET
    skills: tuple[CostItem, ...] | UnsetType = UNSET
    mcp_servers: tuple[CostItem, ...] | UnsetType = UNSET
    agents: tuple[CostItem, ...] | UnsetType = UNSET
    commands: tuple[CostItem, ...] | UnsetType = UNSET
    tools: tuple[CostItem, ...] | UnsetType = UNSET
    blocks: tuple[BlockItem, ...] | UnsetType = UNSET
    quota: QuotaStatus = QuotaStatus()
    totals: CostSums | UnsetType = UNSET
    forgotten: int = 0  # sessions whose cost is not included


class DroppedLines(Struct, frozen=True, rename="camel"):
    """Lines that repeat what another line says."""

    why: str  # streamed | sidechain | fork | copy
    lines: int


class RatedTokens(Struct, frozen=True, rename="camel"):
    """Tokens of one kind at one price."""

    kind: str
    tokens: int
    usd_per_million: float
    cost_usd: float


class Charge(Struct, frozen=True, kw_only=True, rename="camel"):
    """Responses that were priced by the same row, tier and factors."""

    model: str
    responses: int
    since: str | None = None  # the days the row holds for; None is open
    until: str | None = None
    above: int | None = None  # the tier: prompts longer than this
    fast: float | None = None  # factors
    geo: float | None = None
    kinds: tuple[RatedTokens, ...] = ()
    searches: int = 0
    searches_usd: float = 0.0
    cost_usd: float | None = None  # None: no price is known


class Difference(Struct, frozen=True, kw_only=True, rename="camel"):
    """Where another tool counts otherwise: what it has more, or less, by one of its rules."""

    rule: str
    responses: int
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    cost_usd: float = 0.0


class ToolComparison(Struct, frozen=True, kw_only=True, rename="camel"):
    """Another tool's figure for the same lines."""

    tool: str
    report: str  # which of its reports
    total_cost: float | None  # without the models below; None if nothing is left
    difference: float
    unknown_models: tuple[str, ...] = ()  # it may have a price for them, which is not known here
    because: tuple[Difference, ...] = ()


class Explanation(Struct, frozen=True, kw_only=True, rename="camel"):
    """Lines read, responses, copies dropped, rates, and the sum."""

    session_id: str
    project_id: str
    files: int
    lines: int
    usage_lines: int
    responses: int
    dropped: tuple[DroppedLines, ...] = ()
    elsewhere: dict[str, int] = {}  # responses that count for another session, by its id
    earlier: int = 0  # responses that only an earlier version of a file has told
    charges: tuple[Charge, ...] = ()
    total_cost: float | None = 0.0
    unpriced: tuple[str, ...] = ()
    lower_bound: int = 0  # responses whose output may be more
    unknown_agents: int = 0  # of these, agents that ran and of which nothing tells what they used
    cost_state_usd: float | None = None  # the client's own figure
    cost_state_difference: float | None = None
    ccusage: ToolComparison | None = None
