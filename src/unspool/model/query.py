"""Queries to the store, and its answers."""

from typing import Literal, TypeAlias

from msgspec import Struct

from unspool.model.rows import SessionRow, TextKind

SessionKey: TypeAlias = tuple[str, str]  # project and session
SearchOrder: TypeAlias = Literal["newest", "ranked"]


class Change(Struct, frozen=True):
    """One entry of the feed: a commit that changed something of a session."""

    seq: int
    project_id: str
    session_id: str
    source_id: int
    generation: int
    offset: int
    end: int
    kind: str  # lines | restart | gone | agents | session | usage


class SessionQuery(Struct, frozen=True, kw_only=True):
    """Which sessions, newest activity first; the cursor is the last row's own."""

    project: str = ""  # a part of its id
    session: str = ""  # an id, or its beginning
    id: str = ""  # all of an id: the quicker question
    since: int | None = None
    everything: bool = False  # also those with nothing to read
    after: tuple[int, str, str] | None = None  # last activity, id and project of the row before
    limit: int = 50


class SessionListing(SessionRow, frozen=True, kw_only=True):
    """What is known of a session, and of its files."""

    events: int = 0
    tool_calls: int = 0
    hooks: int = 0  # events that are stored
    size: int | None = None  # of its main file
    last_write: int | None = None
    source_gone: bool = False


class StatusRow(Struct, frozen=True):
    """How a session stands at one moment, in the words of SQL."""

    state: str
    evidence: str
    since: int | None
    waiting: str  # the call it waits for, as JSON; "" where there is none
    running: frozenset[tuple[str, str]] = frozenset()  # agent and call


class ModelUsage(Struct, frozen=True, array_like=True, gc=False):
    """What a session owns of one model's responses, added up."""

    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    cache_creation_5m: int
    cache_creation_1h: int
    usd_pico: int
    unpriced: int  # responses without a price
    lower_bound: int  # responses that were not finished


class TextQuery(Struct, frozen=True, kw_only=True):
    """A search. `terms` is what the user typed; a phrase is in quotes, a prefix ends in *."""

    terms: str = ""
    regex: str = ""
    project: str = ""
    session: str = ""
    kinds: tuple[TextKind, ...] = ()
    since: int | None = None
    until: int | None = None
    order: SearchOrder = "newest"
    limit: int = 20
    before: int | None = None  # line_id of the last hit seen


class SearchHit(Struct, frozen=True, kw_only=True):
    """A line that a search found, and where it stands."""

    line_id: int
    source_id: int
    generation: int
    offset: int
    length: int
    line_number: int
    project_id: str
    session_id: str
    agent_id: str
    turn: int
    type: str
    text_kind: TextKind
    timestamp: int | None
    title: str = ""
    rank: float = 0.0


class UsageTotal(Struct, frozen=True, array_like=True, gc=False):
    """Responses of one session and model within one quarter of an hour, added up."""

    quarter: int  # its start, in milliseconds
    project_id: str
    session_id: str
    agent_id: str
    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    web_searches: int
    usd_pico: int
    unpriced: int
    lower_bound: int
    responses: int
    first_at: int
    last_at: int


class StoreStatus(Struct, frozen=True, kw_only=True):
    """How large and how whole the index is."""

    lines: int = 0
    sessions: int = 0
    hook_events: int = 0
    hook_files: int = 0
    sources: int = 0
    bad_lines: int = 0
    superseded: int = 0
    gone: int = 0
    seq: int = 0
    index_bytes: int = 0
    raw_bytes: int = 0
    archived_bytes: int = 0  # of transcript, before packing
    outputs: int = 0  # files of long tool outputs in the archive
    output_bytes: int = 0  # theirs, before packing
    waiting_bytes: int = 0  # known to lie in files and not yet indexed
    trouble: tuple[str, ...] = ()
