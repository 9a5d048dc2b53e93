"""What happened in a session, event by event, and the messages that report it live."""

from typing import Literal, NamedTuple, TypeAlias

from msgspec import Raw, Struct

from unspool.model.document import SessionInfo, Time, ToolState, TotalMetrics
from unspool.model.rows import HookRow
from unspool.model.session import SessionSummary

EventSource: TypeAlias = Literal["transcript", "hook"]
InvalidationReason: TypeAlias = Literal["inserted", "overflow", "restarted", "resume"]
TokenCounts: TypeAlias = tuple[int, int, int, int]  # in, out, cache creation, cache read

NO_TOKENS: TokenCounts = (0, 0, 0, 0)


class EventPosition(Struct, frozen=True, order=True, gc=False):
    """Where an event is: file, generation of the file, and byte offset."""

    source_id: int
    generation: int
    offset: int


class ByteRange(Struct, frozen=True, gc=False):
    """Bytes of a file that were indexed at once."""

    source_id: int
    generation: int
    begin: int
    end: int


class LineEvent(Struct, frozen=True, kw_only=True, gc=False):
    """A line of a transcript that is an event, and the tools it calls or answers."""

    place: EventPosition
    length: int
    line_id: int
    at: int | None  # its own time
    order: int  # its time, or that of the line before it
    event_type: str
    agent_id: str = ""
    uuid: str = ""
    calls: tuple[tuple[str, str], ...] = ()  # id and name
    results: tuple[str, ...] = ()


class HookNote(Struct, frozen=True, gc=False):
    """What a timeline keeps in memory of a hook's record; the rest is read back when shown."""

    line_id: int
    at: int | None
    event_type: str
    tool_use_id: str
    tool_name: str
    agent_id: str
    duration_ms: float | None
    key: str  # records of one event share it: see `derive.hooks`
    event_id: str
    prompt: str = ""  # of one that reports a prompt; from the store, all of its input


class TimelineSource(NamedTuple):
    """A file of a session, its generation, and how far it is indexed.

    After its end there may be an unfinished last line, which can still change.
    """

    number: int
    source_id: int
    generation: int
    end: int
    lines: int
    last_line: int | None


class ToolLines(NamedTuple):
    """A call in one file: the ids of its lines, and when it was called."""

    number: int
    tool_use_id: str
    name: str
    call: int | None
    result: int | None
    called_at: int | None


class HookStamp(NamedTuple):
    """Changes with the hooks of a session; only `newest` if some were just added."""

    newest: int
    sessions: str
    logs: str


class SessionHooks(Struct, frozen=True):
    """What hook events add to the view `events` of a session.

    `lines` has agent and tool by line id; `others` are events without a line of a transcript:
    the id of the hook's own line, agent, tool, duration and tokens.
    """

    lines: dict[int, tuple[str, str]] = {}
    others: list[tuple[object, ...]] = []


class MergedEvent(Struct, frozen=True, kw_only=True):
    """One event: a transcript line, the hook events about it, or both."""

    key: tuple[int, int, int]  # the order of a timeline
    place: EventPosition
    line: LineEvent | None = None
    hooks: tuple[HookRow, ...] = ()
    tool_name: str = ""
    tool_use_id: str = ""
    agent_id: str = ""
    duration_ms: int | None = None
    tokens: TokenCounts = NO_TOKENS  # of its session so far


class TimelineEvent(Struct, frozen=True, kw_only=True, rename="camel"):
    """One event as it is shown; tokens are the session's so far."""

    event_id: str
    session_id: str
    project_id: str
    timestamp: str | None
    event_type: str
    sources: tuple[EventSource, ...]
    subagent_id: str = ""
    event_uuid: str = ""
    tool_name: str = ""
    tool_use_id: str = ""
    duration_ms: int | None = None
    tokens_input: int = 0
    tokens_output: int = 0
    tokens_cache_creation: int = 0
    tokens_cache_read: int = 0
    preview: str = ""


class EventPage(Struct, frozen=True, kw_only=True, rename="camel"):
    """Some events, oldest first; `seq` is what to subscribe from so that none is missed."""

    items: tuple[TimelineEvent, ...]
    next_cursor: str | None = None
    prev_cursor: str | None = None
    total: int = 0
    seq: int = 0


class HookCopy(Struct, frozen=True, kw_only=True, rename="camel"):
    """A hook event, as part of a timeline event."""

    event_id: str
    event_type: str
    timestamp: str | None = None
    decision: str = ""
    duration_ms: float | None = None
    data: Raw


class FullEvent(Struct, frozen=True, kw_only=True, rename="camel"):
    """An event with everything that was recorded about it."""

    event: TimelineEvent
    event_data: Raw
    hooks: tuple[HookCopy, ...] = ()
    output: str | None = None  # of a tool, where its line only says in which file it is


class EventReceipt(Struct, frozen=True, kw_only=True, rename="camel"):
    """The receipt for a posted event, once it is on disk."""

    uuid: str
    type: str
    session_id: str
    timestamp: str
    tool_name: str = ""
    subagent_id: str = ""
    duration_ms: float | None = None
    duplicate: bool = False


class InitialSessions(Struct, frozen=True, kw_only=True, rename="camel"):
    """`init`: the newest sessions, and where older ones begin."""

    sessions: tuple[SessionSummary, ...]
    next_cursor: str | None = None


class SessionUpdate(Struct, frozen=True, kw_only=True, rename="camel"):
    """`session_updated`, `session_ended`: how a session stands."""

    session: SessionInfo
    metrics: TotalMetrics


class EventsUpdate(Struct, frozen=True, kw_only=True, rename="camel"):
    """`event_added`: new events and their places in the timeline.

    A hook may tell of an event before its transcript does, or after: `removed` are ids that are
    now a part of one in `events`, `updated` are events that were reported before.
    """

    events: tuple[TimelineEvent, ...]
    positions: tuple[int, ...]
    updated: tuple[TimelineEvent, ...] = ()
    removed: tuple[str, ...] = ()


class TimelineInvalidation(Struct, frozen=True, kw_only=True, rename="camel"):
    """`timeline_invalidation`: fetch the events again, and why."""

    reason: InvalidationReason


class BoardUpdate(Struct, frozen=True, kw_only=True):
    """`board_updated`: fetch the board again; no row of the list has changed."""


class ClientMessage(Struct, frozen=True, kw_only=True, rename="camel"):
    """A message from a page: subscribe or unsubscribe; `seq` is the last one it has seen.

    With `events: false` the page is only told that something changed, not what.
    """

    type: Literal["subscribe", "unsubscribe"]
    session_id: str
    seq: int | None = None
    events: bool = True


class ErrorMessage(Struct, frozen=True, kw_only=True):
    """`error`: why a message was not understood."""

    detail: str


LiveEventKind: TypeAlias = Literal[
    "prompt",  # `name` is who spoke
    "answer",
    "call",  # `name` is the tool, `text` what it was given
    "result",  # of a call: its state, and its outcome in a word
    "asks",  # a call waits for approval
    "hook",  # `name` is the event
    "notice",  # an error, an interruption, a compaction
    "limited",  # a usage limit stopped the session; `text` is what Claude Code wrote
    "failed",  # an API error did
    "started",
    "ended",
]


class LiveEvent(Struct, frozen=True, kw_only=True, rename="camel"):
    """Reported once, when it is written; `text` is complete, the reader may shorten it."""

    at: Time
    session_id: str
    project_id: str = ""
    agent_id: str = ""
    kind: LiveEventKind
    name: str = ""
    text: str = ""
    state: ToolState | Literal[""] = ""
    tool_use_id: str = ""
    duration_ms: int | None = None
    is_error: bool = False
    until: Time = None  # when the limit is reset
