"""What happened in a session, event by event, and the messages that tell of it as it happens."""

from typing import Literal, TypeAlias

from msgspec import Raw, Struct

from unspool.model.document import SessionInfo, TotalMetrics
from unspool.model.listing import SessionSummary
from unspool.model.rows import HookRow

EventSource: TypeAlias = Literal["transcript", "hook"]
Reason: TypeAlias = Literal["inserted", "overflow", "restarted", "resume"]
Tokens: TypeAlias = tuple[int, int, int, int]  # in, out, cache creation, cache read

NO_TOKENS: Tokens = (0, 0, 0, 0)


class Place(Struct, frozen=True, order=True, gc=False):
    """Where an event stands: a file, which of its lives, and the byte it begins at."""

    source_id: int
    generation: int
    offset: int


class Span(Struct, frozen=True, gc=False):
    """Bytes of a file that were taken in at once."""

    source_id: int
    generation: int
    begin: int
    end: int


class LineEvent(Struct, frozen=True, kw_only=True, gc=False):
    """A line of a transcript that is an event, and the tools it calls or answers."""

    place: Place
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
    prompt: str = ""  # of one that tells of a prompt; from the store, all of its input


class EventRecord(Struct, frozen=True, kw_only=True):
    """One event: a line of a transcript, hook records of it, or both."""

    key: tuple[int, int, int]  # the order of a timeline
    place: Place
    line: LineEvent | None = None
    hooks: tuple[HookRow, ...] = ()
    tool_name: str = ""
    tool_use_id: str = ""
    agent_id: str = ""
    duration_ms: int | None = None
    tokens: Tokens = NO_TOKENS  # of its session so far


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
    """What a hook told of an event."""

    event_id: str
    event_type: str
    timestamp: str | None = None
    decision: str = ""
    duration_ms: float | None = None
    data: Raw


class FullEvent(Struct, frozen=True, kw_only=True, rename="camel"):
    """An event and all that was written of it."""

    event: TimelineEvent
    event_data: Raw
    hooks: tuple[HookCopy, ...] = ()
    output: str | None = None  # of a tool, where its line only says in which file it is


class Taken(Struct, frozen=True, kw_only=True, rename="camel"):
    """What became of an event that was handed in: it is on disk."""

    uuid: str
    type: str
    session_id: str
    timestamp: str
    tool_name: str = ""
    subagent_id: str = ""
    duration_ms: float | None = None
    duplicate: bool = False


class SessionRows(Struct, frozen=True, kw_only=True, rename="camel"):
    """`init`: the newest sessions, and where older ones begin."""

    sessions: tuple[SessionSummary, ...]
    next_cursor: str | None = None


class SessionUpdate(Struct, frozen=True, kw_only=True, rename="camel"):
    """`session_updated`, `session_ended`: how a session stands."""

    session: SessionInfo
    metrics: TotalMetrics


class EventUpdate(Struct, frozen=True, kw_only=True, rename="camel"):
    """`event_added`: new events and their places in the timeline.

    A hook may report an event before its transcript does, or after: `removed` are ids that are
    now a part of one in `events`, `updated` are events that were sent before.
    """

    events: tuple[TimelineEvent, ...]
    positions: tuple[int, ...]
    updated: tuple[TimelineEvent, ...] = ()
    removed: tuple[str, ...] = ()


class Invalidation(Struct, frozen=True, kw_only=True, rename="camel"):
    """`timeline_invalidation`: fetch the events again, and why."""

    reason: Reason


class ClientRequest(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a client may ask: subscribe and unsubscribe; `seq` is the last that it has seen.

    With `events: false` it is told that there is something new, not what.
    """

    type: Literal["subscribe", "unsubscribe"]
    session_id: str
    seq: int | None = None
    events: bool = True


class ErrorReport(Struct, frozen=True, kw_only=True):
    """`error`: why a client's message was refused."""

    detail: str
