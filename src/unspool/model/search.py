"""What a search finds, by session."""

from collections.abc import Mapping

from msgspec import Struct

from unspool.model.api import SearchResult
from unspool.model.rows import TextKind


class SessionMatches(Struct, frozen=True, kw_only=True):
    """What a search finds in one session."""

    project_id: str
    session_id: str
    kinds: Mapping[TextKind, int]  # how many lines of each
    best: tuple[SearchResult, ...]
    others: tuple[SearchResult, ...] = ()  # some of the rest
    times: tuple[tuple[int, str], ...] = ()  # when, and which event: of at most 200 hits


class MatchedSessions(Struct, frozen=True, kw_only=True):
    """A page of sessions; `kinds` counts all hits, whichever kind was asked for."""

    kinds: Mapping[TextKind, int] = {}
    hits: int = 0
    sessions: int = 0
    groups: tuple[SessionMatches, ...] = ()
    next: int | None = None  # how many to skip for the next page
    is_partial: bool = False  # there are at least so many
