"""One row of a list of sessions, the facts that every row is made of, and the live board."""

from msgspec import Struct

from unspool.model.alerts import Alert
from unspool.model.document import (
    ClientCost,
    PendingTool,
    PullRequest,
    SessionInfo,
    SessionOrigin,
    StatusName,
    Time,
    TodoItem,
    TotalMetrics,
)


class SessionSummary(Struct, frozen=True, kw_only=True, rename="camel"):
    """A session without its conversation; null means unknown."""

    session: SessionInfo
    metrics: TotalMetrics = TotalMetrics()
    last_activity: Time = None  # lists are sorted by it; the session ended with its last message
    agents: int | None = None
    compactions: int | None = None
    lines: int | None = None  # of the main file
    bad_lines: int | None = None
    bytes: int | None = None
    message_count: int | None = None  # prompts, and the first answer to each
    has_subagents: bool | None = None
    is_ongoing: bool = False
    source_gone: bool = False  # its file was deleted: it is read from the archive
    displayable: bool = True  # False: nothing in it is for a reader
    pinned: bool = False
    hidden: bool = False
    path: str | None = None  # of its transcript, which may be gone

    @property
    def id(self) -> str:
        """The session's id."""
        return self.session.id

    @property
    def title(self) -> str:
        """Its title, or its first prompt."""
        return self.session.title

    @property
    def status(self) -> StatusName:
        """What it is doing; `session.status` has the evidence."""
        return self.session.status.state

    @property
    def cost_usd(self) -> float | None:
        """What it owns; None where no price is known."""
        return self.metrics.cost_usd


class TranscriptState(Struct, frozen=True, array_like=True):
    """What a transcript alone says of how its session stands; times in milliseconds."""

    state: StatusName = "idle"
    since: int | None = None
    last_at: int | None = None
    pending: PendingTool | None = None
    is_delegated: bool = False  # all that it waits for is the work of agents
    open_calls: tuple[str, ...] = ()
    is_ongoing: bool = False  # the model was at work when the file was last written
    until: int | None = None  # of a limit: when it is reset
    error: str = ""  # of a limit or an error: its sentence


class AgentFacts(Struct, frozen=True, array_like=True):
    """What the row of a session asks about one of its agents."""

    id: str
    messages: int
    state: TranscriptState


class RowFacts(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="v", tag=1):
    """What a transcript or hooks say of a session, from a fold or from the index.

    None is unknown. The index has a column for what SQL shows and packs the rest; raise the tag
    when a packed field changes its meaning.
    """

    session_id: str = ""
    project_id: str = ""
    origin: SessionOrigin = "transcript"
    transcript_path: str = ""
    cwd: str = ""
    title: str = ""
    goal: str = ""
    recent_output: str | None = None
    slug: str | None = None
    git_branch: str | None = None
    model: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    start_time: int | None = None
    end_time: int | None = None
    last_activity: int | None = None
    compactions: int | None = None
    lines: int | None = None
    bad_lines: int | None = None
    message_count: int | None = None
    is_displayable: bool = True
    # Packed:
    models: tuple[str, ...] | None = None
    files_modified: tuple[str, ...] | None = None
    todos: tuple[TodoItem, ...] | None = None
    pull_requests: tuple[PullRequest, ...] | None = None
    cost_state: ClientCost | None = None
    is_subagent: bool = False
    messages: int | None = None  # lines of the conversation
    state: TranscriptState = TranscriptState()
    # Of its files, not of what they say:
    size: int | None = None
    last_write: int | None = None
    source_gone: bool = False
    agents: tuple[AgentFacts, ...] | None = None


class BoardSpend(Struct, frozen=True, kw_only=True, rename="camel"):
    """Tokens and dollars of a day or a session; a sum that lacks a price names the models."""

    tokens: int = 0
    cost_usd: float | None = 0.0
    unpriced: tuple[str, ...] = ()


class QuotaSpan(Struct, frozen=True, rename="camel"):
    """A usage limit of the account, as Claude Code last told its status line."""

    used_percent: float
    elapsed_percent: float  # of its time
    resets_at: Time
    at: Time  # when Claude Code said so


class QuotaSpeed(Struct, frozen=True, rename="camel"):
    """How fast the limits are used: at 1, one lasts exactly until its reset."""

    five_hour: float | None = None
    seven_day: float | None = None


class QuotaStatus(Struct, frozen=True, rename="camel"):
    """The usage limits that are known; one that was reset is not."""

    five_hour: QuotaSpan | None = None
    seven_day: QuotaSpan | None = None
    pace: QuotaSpeed | None = None  # None: no limit is known


class BoardProcess(Struct, frozen=True, kw_only=True, rename="camel"):
    """The process of a session, by its registry entry: where an answer has to be typed."""

    pid: int
    tmux: str = ""  # its pane, if the entry names one
    entrypoint: str = ""
    host: str = ""  # on a hub: the machine it runs on


class BoardRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """One session as it stands now."""

    session: SessionInfo  # status, since, evidence, pending tool, goal and output are in it
    metrics: TotalMetrics = TotalMetrics()
    waits_for: str = ""  # one line: the call to approve, the question to answer
    asks: str = ""  # the whole command or question; "" where only its beginning is known
    process: BoardProcess | None = None  # None: it has ended, or no registry entry names it
    running: tuple[str, ...] = ()  # calls at work, one line each, oldest first
    agents: tuple[str, ...] = ()  # agents at work, by what they were sent to do
    context_tokens: int = 0
    context_limit: int | None = None  # None: not known for this model
    today: BoardSpend = BoardSpend()
    alerts: tuple[Alert, ...] = ()  # of this session since the board began, newest last
    unknown_since: Time = None  # on a hub: since then its machine gave no sign of life


class Board(Struct, frozen=True, kw_only=True, rename="camel"):
    """All of them at one moment."""

    at: int
    rows: tuple[BoardRow, ...] = ()
    today: BoardSpend = BoardSpend()  # of everything, sessions that have ended included
    alerts: tuple[Alert, ...] = ()  # about the day as a whole
    quota: QuotaStatus = QuotaStatus()
