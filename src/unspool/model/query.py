"""Queries to the store, and its answers."""

from typing import Literal, TypeAlias

from msgspec import Struct

from unspool.model.rows import SessionRow, TextKind

SessionKey: TypeAlias = tuple[str, str]  # project and session
SearchOrder: TypeAlias = Literal["newest", "ranked"]
TotalsGrain: TypeAlias = Literal["", "quarter", "hour", "session", "project", "model"]
# Roots, each with the one project of it that is wanted, or "". None: every root of the store.
Scope: TypeAlias = tuple[tuple[str, str], ...] | None


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

    projects: tuple[str, ...] | None = None  # their whole ids; None: all
    prefix: str = ""  # what the ids of their projects begin with
    session: str = ""  # an id, or its beginning
    id: str = ""  # all of an id: the quicker question
    since: int | None = None
    everything: bool = False  # also those with nothing to read
    scope: Scope = None
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
    waiting: str  # the call it waits for, as JSON; "" if none
    running: frozenset[tuple[str, str]] = frozenset()  # agent and call
    until: int | None = None  # when the limit that stopped it is reset
    error: str = ""  # what Claude Code wrote when a limit or an error stopped it


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
    one_of: tuple[tuple[str, ...], ...] = ()  # of each, a line has one: a word, or a prefix*
    projects: tuple[str, ...] | None = None  # their whole ids; None: all
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


class SearchHits(list[SearchHit]):
    """Lines that match; `partial` if the time was up before all were looked at."""

    partial = False


class HitCount(Struct, frozen=True, array_like=True, gc=False):
    """How many lines of one kind a search finds in one session."""

    project_id: str
    session_id: str
    kind: TextKind
    count: int
    newest: int  # when the newest of them was written, in milliseconds


class HitCounts(Struct, frozen=True):
    """What a search finds, by session and kind; `is_partial` if not all was counted."""

    rows: tuple[HitCount, ...] = ()
    is_partial: bool = False


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


class TotalsQuery(Struct, frozen=True, kw_only=True):
    """Which part of the ledger, and how far to add it up.

    Without `by`: one row for each session, agent, model and quarter of an hour. With it rows are
    added up by that and the model, and what they no longer tell is 0 or "".
    """

    by: TotalsGrain = ""
    since: int | None = None  # with a response at that time or later
    until: int | None = None  # with a dated response before that time
    projects: tuple[str, ...] | None = None  # their whole ids; None: all
    model: str = ""  # a part of its name
    scope: Scope = None


class CauseQuery(Struct, frozen=True, kw_only=True):
    """Which sums by cause, by days of the machine that keeps them, counted from 1970."""

    first: int | None = None
    last: int | None = None  # included
    projects: tuple[str, ...] | None = None  # their whole ids; None: all
    models: tuple[str, ...] | None = None  # their whole names; None: all
    sides: tuple[str, ...] | None = None  # None: all
    scope: Scope = None
    breaks: int = 0  # cache breaks beside them, the most expensive first


class ProjectTotal(Struct, frozen=True, kw_only=True):
    """A project, and the sum of the sessions in it that are listed."""

    project_id: str
    cwd: str  # of its newest session that has one
    sessions: int
    first_activity: int | None
    last_activity: int | None
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    usd_pico: int
    unpriced: int
    lower_bound: int  # responses that were not finished


class Facets(Struct, frozen=True):
    """What the listed sessions can be filtered by, most frequent first."""

    branches: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


class LineLocation(Struct, frozen=True):
    """A stored line, and where it belongs."""

    length: int
    project_id: str
    session_id: str
    agent_id: str
    root: str


class BadLinePlace(Struct, frozen=True, order=True):
    """A line that could not be read."""

    root: str
    path: str
    line_number: int
    reason: str


class OddityCount(Struct, frozen=True, order=True):
    """Something that a version of Claude Code writes and this program does not know."""

    version: str
    what: str
    name: str
    count: int
