"""The list of sessions, newest first, a page at a time."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from platform import node
from threading import Lock
from time import monotonic
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from unspool.derive.reading.clock import millis
from unspool.engine.listing import HookStates, Listing
from unspool.engine.session_row import last_activity, place
from unspool.errors import NotFound
from unspool.model.query import Facets
from unspool.model.session import SessionSummary
from unspool.serve.desks.around import Around
from unspool.serve.pagination import Listed, decode_cursor, encode_cursor

# Without any news a status changes too: who was silent long enough is idle.
_FRESH_MS: Final = 1_000
# Looking again after every line of every session must not be all there is time for.
_REST: Final = 4.0
_CHOICES: Final = 200
_FACETS_SECONDS: Final = 10.0  # all sessions are counted for them

Sort: TypeAlias = Literal["newest", "started", "cost", "length", "agents", "tokens"]


class SessionsAsked(Struct, frozen=True, kw_only=True):
    """Which sessions."""

    project: str = ""  # a part of its id
    only: str = ""  # all of it
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
    cursor: str = ""
    limit: int = 50


class ListCursor(Struct, frozen=True, array_like=True, order=True):
    """Where a row stands in the list."""

    rank: str | float
    session_id: str
    project_id: str


class SessionList:
    """What the index knows, with how each session stands now."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._marks = around.store.marks
        self._lock = Lock()
        self._hook_states: HookStates = {}
        self._rows: LazyRows | None = None
        self._at, self._head, self._stamp = -_FRESH_MS, -1, self._marks.stamp()
        self._built_at = self._took = 0.0
        self._facets, self._facets_at = Facets(), -_FACETS_SECONDS

    def version(self) -> Hashable:
        """What is another when any page may be."""
        with self._lock:
            return self._fresh().number

    def facets(self) -> Facets:
        """Branches and models of all sessions."""
        if monotonic() - self._facets_at >= _FACETS_SECONDS:
            self._facets = self._around.store.facets(limit=_CHOICES)
            self._facets_at = monotonic()
        return self._facets

    def page(self, asked: SessionsAsked) -> Listed[SessionSummary]:
        """One page, and where the next one begins."""
        after = decode_cursor(asked.cursor, ListCursor)
        rank = _RANKS[asked.sort]
        if after is not None and isinstance(after.rank, str) != (asked.sort in _BY_TIME):
            raise NotFound("This cursor is of another order: begin without one.")
        if asked.machine not in ("", node()):
            return Listed(items=())
        with self._lock:
            rows = self._fitting(asked)
            if asked.sort != "newest":
                rows = iter(sorted(rows, key=lambda row: _place(row, rank), reverse=True))
            if after is not None:
                rows = (row for row in rows if _place(row, rank) < after)
            found = list(islice(rows, asked.limit + 1))
        shown = found[: asked.limit]
        more = len(found) > len(shown)
        cursor = encode_cursor(_place(shown[-1], rank)) if more and shown else None
        return Listed(items=tuple(shown), next_cursor=cursor)

    def _fitting(self, asked: SessionsAsked) -> Iterator[SessionSummary]:
        words, wanted = asked.words.lower(), (asked.only or asked.project).lower()
        for row in self._asked(asked):
            is_of_project = wanted in row.session.project_id.lower()
            if is_of_project and _is_wanted(row, asked) and words in _said(row):
                yield row

    def _asked(self, asked: SessionsAsked) -> Iterable[SessionSummary]:
        """Rows among which are all that fit: few, where the index can tell."""
        rows, project = self._fresh(), asked.only or asked.project
        if asked.pinned:
            pinned = [name for name, mark in self._marks.all().items() if mark.pinned]
            return sorted(rows.listing.rows(pinned), key=place, reverse=True)
        if project or asked.since is not None:
            return rows.listing.summaries(project=project, since=asked.since)
        return rows

    def listing(self) -> Listing:
        """What the index knows now."""
        around = self._around
        return Listing(
            around.store,
            around.roots,
            around.spool,
            around.now(),
            marks=self._marks.all(),
            hook_states=self._hook_states,
        )

    def _fresh(self) -> "LazyRows":
        now, head, stamp = self._around.now(), self._around.store.head(), self._marks.stamp()
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
    """Rows that are made when they are first asked for, and then kept; `took` is how long."""

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


def _is_wanted(item: SessionSummary, asked: SessionsAsked) -> bool:
    about = item.session
    return (
        asked.only in ("", about.project_id)
        and asked.status in ("", about.status.state)
        and (asked.hidden or not item.hidden)
        and (item.pinned or not asked.pinned)
        and asked.branch in ("", about.git_branch)
        and asked.model.lower() in (about.model or "").lower()
        and _is_of_time(item, asked)
        and _is_of_cost(item.metrics.cost_usd or 0.0, asked)
    )


def _is_of_time(item: SessionSummary, asked: SessionsAsked) -> bool:
    first, last = millis(item.session.start_time), last_activity(item)
    return (asked.since is None or last >= asked.since) and (
        asked.until is None or (first or 0) < asked.until
    )


def _is_of_cost(usd: float, asked: SessionsAsked) -> bool:
    return (asked.least is None or usd >= asked.least) and (asked.most is None or usd <= asked.most)


def _said(row: SessionSummary) -> str:
    about = row.session
    return "\n".join((about.title, about.goal, about.git_branch or "", about.id)).lower()


def _place(row: SessionSummary, rank: "_Rank") -> ListCursor:
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
