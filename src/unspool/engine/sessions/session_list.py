"""The list of sessions of a server: filtered, sorted, a page at a time."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from platform import node
from threading import Lock
from time import monotonic
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from unspool.derive.reading.clock import millis
from unspool.engine.sessions.indexed_roots import IndexedRoots
from unspool.engine.sessions.listing import HookStates, Listing
from unspool.engine.sessions.row import last_activity, place
from unspool.errors import NotFound
from unspool.model.query import Facets
from unspool.model.session import SessionSummary

# A status changes without any event too: after some silence a session is idle.
_FRESH_MS: Final = 1_000
# Reading the list again takes at most a fifth of the time.
_REST: Final = 4.0
_CHOICES: Final = 200
_FACETS_SECONDS: Final = 10.0  # all sessions are counted for them

Sort: TypeAlias = Literal["newest", "started", "cost", "length", "agents", "tokens"]


class ListCursor(Struct, frozen=True, array_like=True, order=True):
    """The position of a row in the list."""

    rank: str | float
    session_id: str
    project_id: str


class SessionFilter(Struct, frozen=True, kw_only=True):
    """Which sessions, and in which order."""

    project: str = ""  # a part of its name or id, or the path of a checkout
    only: tuple[str, ...] | None = None  # these checkouts, by their whole ids
    status: str = ""
    machine: str = ""  # the only one is this
    words: str = ""  # in the title, the goal, the branch or the id
    branch: str = ""
    model: str = ""  # a part of its name
    since: int | None = None  # active since then, in milliseconds
    until: int | None = None  # begun before then
    least: float | None = None  # dollars
    most: float | None = None
    sort: Sort = "newest"
    pinned: bool = False  # only those
    hidden: bool = False  # these too
    after: ListCursor | None = None  # the last row of the page before
    limit: int = 50


class SessionRows(Struct, frozen=True):
    """Some rows, and the cursor of the next page."""

    items: tuple[SessionSummary, ...] = ()
    next: ListCursor | None = None


class SessionList:
    """Sessions of the index, each with its status now."""

    def __init__(self, source: IndexedRoots) -> None:
        self._source = source
        self._marks = source.store.marks
        self._lock = Lock()
        self._hook_states: HookStates = {}
        self._rows: LazyRows | None = None
        self._at, self._head, self._stamp = -_FRESH_MS, -1, self._marks.stamp()
        self._built_at = self._took = 0.0
        self._facets, self._facets_at = Facets(), -_FACETS_SECONDS

    def version(self) -> Hashable:
        """Changes when any page may."""
        with self._lock:
            return self._fresh().number

    def facets(self) -> Facets:
        """Branches and models of all sessions."""
        if monotonic() - self._facets_at >= _FACETS_SECONDS:
            self._facets = self._source.store.facets(limit=_CHOICES)
            self._facets_at = monotonic()
        return self._facets

    def page(self, query: SessionFilter) -> SessionRows:
        """One page."""
        after, rank = query.after, _RANKS[query.sort]
        if after is not None and isinstance(after.rank, str) != (query.sort in _BY_TIME):
            raise NotFound("This cursor is of another order. Start again without one.")
        if query.machine not in ("", node()):
            return SessionRows()
        with self._lock:
            rows = self._matching(query)
            if query.sort != "newest":
                rows = iter(sorted(rows, key=lambda row: _cursor(row, rank), reverse=True))
            if after is not None:
                rows = (row for row in rows if _cursor(row, rank) < after)
            found = list(islice(rows, query.limit + 1))
        shown = found[: query.limit]
        more = len(found) > len(shown)
        cursor = _cursor(shown[-1], rank) if more and shown else None
        return SessionRows(tuple(shown), cursor)

    def _matching(self, query: SessionFilter) -> Iterator[SessionSummary]:
        words, is_asked = query.words.lower(), self._source.groups.current().matching(query.project)
        for row in self._candidates(query):
            is_of_project = is_asked(row.session.project_id)
            if is_of_project and _is_wanted(row, query) and words in _text(row):
                yield row

    def _candidates(self, query: SessionFilter) -> Iterable[SessionSummary]:
        """Rows among which are all that match; few, if the index can filter."""
        rows = self._fresh()
        if query.pinned:
            pinned = [name for name, mark in self._marks.all().items() if mark.pinned]
            return sorted(rows.listing.rows(pinned), key=place, reverse=True)
        if query.project or query.only is not None or query.since is not None:
            return rows.listing.summaries(project=query.project, only=query.only, since=query.since)
        return rows

    def listing(self) -> Listing:
        """The rows of the index now."""
        source = self._source
        return Listing(
            source.store,
            source.roots,
            source.spool,
            source.now(),
            marks=self._marks.all(),
            groups=source.groups.current(),
            hook_states=self._hook_states,
        )

    def _fresh(self) -> "LazyRows":
        now, head, stamp = self._source.now(), self._source.store.head(), self._marks.stamp()
        is_old = head != self._head or not 0 <= now - self._at < _FRESH_MS
        rows = self._rows
        took = self._took + rows.took if rows else 0.0
        is_rested = monotonic() - self._built_at >= took * _REST
        if rows is None or (is_old and is_rested) or stamp != self._stamp:
            begun = monotonic()
            rows = self._rows = LazyRows(self.listing(), rows.number + 1 if rows else 0)
            self._at, self._head, self._stamp = now, head, stamp
            self._built_at = monotonic()
            self._took = self._built_at - begun
        return rows


class LazyRows:
    """Rows that are made on first use and then kept; `took` is how long that was."""

    def __init__(self, listing: Listing, number: int = 0) -> None:
        self.listing, self.number, self.took = listing, number, 0.0
        self._rows, self._made = listing.summaries(), list[SessionSummary]()

    def __iter__(self) -> Iterator[SessionSummary]:
        yield from self._made
        while (row := self._next()) is not None:
            self._made.append(row)
            yield row

    def _next(self) -> SessionSummary | None:
        begun = monotonic()
        row = next(self._rows, None)
        self.took += monotonic() - begun
        return row


def _is_wanted(item: SessionSummary, query: SessionFilter) -> bool:
    about = item.session
    return (
        (query.only is None or about.project_id in query.only)
        and query.status in ("", about.status.state)
        and (query.hidden or not item.hidden)
        and (item.pinned or not query.pinned)
        and query.branch in ("", about.git_branch)
        and query.model.lower() in (about.model or "").lower()
        and _is_of_time(item, query)
        and _is_of_cost(item.metrics.cost_usd or 0.0, query)
    )


def _is_of_time(item: SessionSummary, query: SessionFilter) -> bool:
    first, last = millis(item.session.start_time), last_activity(item)
    return (query.since is None or last >= query.since) and (
        query.until is None or (first or 0) < query.until
    )


def _is_of_cost(usd: float, query: SessionFilter) -> bool:
    return (query.least is None or usd >= query.least) and (query.most is None or usd <= query.most)


def _text(row: SessionSummary) -> str:
    about = row.session
    return "\n".join((about.title, about.goal, about.git_branch or "", about.id)).lower()


def _cursor(row: SessionSummary, rank: "_Rank") -> ListCursor:
    return ListCursor(rank(row), row.session.id, row.session.project_id)


_Rank: TypeAlias = Callable[[SessionSummary], str | float]
_BY_TIME: Final = ("newest", "started")
_RANKS: Final[dict[Sort, _Rank]] = {
    "newest": lambda row: row.last_activity or "",
    "started": lambda row: row.session.start_time or "",
    "cost": lambda row: row.metrics.cost_usd or 0.0,
    "length": lambda row: float(row.session.duration_ms or 0),
    "agents": lambda row: float(row.agents or 0),
    "tokens": lambda row: float(row.metrics.total_tokens),
}
