"""Answers of the server that are neither a session's document nor a row of the list."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from unspool.model.document import LineState, Metrics, SessionDocument, Time
from unspool.model.search import FoundLine


class Window(Struct, frozen=True, kw_only=True, rename={"first": "from"}):
    """Which chunks of how many a document holds."""

    first: int
    limit: int
    total: int


class SessionAnswer(SessionDocument, frozen=True, kw_only=True, rename="camel"):
    """A session's document; with a window, its chunks, calls, turns and context are of that."""

    window: Window | UnsetType = UNSET
    pinned: bool = False
    hidden: bool = False


class MarksGiven(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


class Project(Struct, frozen=True, kw_only=True, rename="camel"):
    """All sessions of one directory."""

    id: str
    name: str = ""
    path: str = ""
    sessions: int = 0
    first_activity: Time = None
    last_activity: Time = None
    metrics: Metrics = Metrics()


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


class Revealed(Struct, frozen=True, rename="camel"):
    """A line's text with its secrets."""

    event_id: str
    text: str


class SearchAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """Lines that were found; partial where the time was up before all were looked at."""

    items: tuple[FoundLine, ...] = ()
    next_cursor: str | None = None
    is_partial: bool = False
