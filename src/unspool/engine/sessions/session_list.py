"""The list of sessions of a server: filtered, sorted, a page at a time."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import islice
from threading import Lock
from time import monotonic
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct, structs

from unspool.derive.reading.clock import millis
from unspool.engine.sessions.indexed_roots import IndexedRoots
from unspool.engine.sessions.listing import HookStates, Listing
from unspool.engine.sessions.row import last_activity, place
from unspool.errors import NotFound
from unspool.model.document import StatusName
from unspool.model.query import Facets, SessionKey
from unspool.model.session import SessionSummary
from unspool.remote_paths import project_prefix

# A status changes without any event too: after some silence a session is idle.
_FRESH_MS: Final = 1_000
# Reading the list again takes at most a fifth of the time.
_REST: Final = 4.0
_CHOICES: Final = 200
_FACETS_SECONDS: Final = 10.0  # all sessions are counted for them

# One request to a hub goes through so many sessions, the newest first, however many there are.
MAX_SCANNED: Final = 5_000

_MOST_COUNTS: Final = 16
# Counting takes at most a twentieth of the time, and is done again after ten seconds.
_COUNT_REST: Final = 20.0
_COUNT_SECONDS: Final = 10.0

Sort: TypeAlias = Literal[
    "newest", "started", "cost", "length", "agents", "tokens", "title", "project", "status"
]


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
    machine: str = ""  # by its name
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
    """Some rows, and the cursor of the next page.

    Where the newest sessions had few that match, a page may have fewer rows than asked for, or
    none, and still be followed by another. Other orders are of the newest sessions alone.
    """

    items: tuple[SessionSummary, ...] = ()
    next: ListCursor | None = None


class SessionCounts(Struct, frozen=True):
    """How many sessions a filter leaves, whatever their status, and how many of each status."""

    total: int = 0
    statuses: Mapping[str, int] = {}
    is_partial: bool = False  # there are more sessions, which were not looked at


class _CachedCounts(NamedTuple):
    version: Hashable
    at: float
    took: float
    counts: SessionCounts

    def is_fresh(self, version: Hashable) -> bool:
        age = monotonic() - self.at
        rest = self.took * _COUNT_REST
        return age < (max(rest, _COUNT_SECONDS) if version == self.version else rest)


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
        self._counts: dict[SessionFilter, _CachedCounts] = {}

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
        if after is not None and isinstance(after.rank, str) != (query.sort in _BY_TEXT):
            raise NotFound("This cursor belongs to another sort order. Start again without one.")
        with self._lock:
            return self._newest(query) if query.sort == "newest" else self._sorted(query, rank)

    def _newest(self, query: SessionFilter) -> SessionRows:
        """Sessions that match, as they come."""
        scan, rank = self._scan(query, query.after), _RANKS["newest"]
        found = list(islice(scan.rows, query.limit + 1))
        shown, last = found[: query.limit], scan.last
        if len(found) > len(shown):
            last = shown[-1] if shown else None
        elif not scan.is_partial:
            last = None
        return SessionRows(tuple(shown), _cursor(last, rank) if last else None)

    def _sorted(self, query: SessionFilter, rank: "_Rank") -> SessionRows:
        goes_up, after = query.sort in _ASCENDING, query.after
        rows = sorted(
            self._scan(query).rows, key=lambda row: _cursor(row, rank), reverse=not goes_up
        )
        if after is not None:
            follows = after.__lt__ if goes_up else after.__gt__
            rows = [row for row in rows if follows(_cursor(row, rank))]
        shown = rows[: query.limit]
        cursor = _cursor(shown[-1], rank) if shown and len(rows) > len(shown) else None
        return SessionRows(tuple(shown), cursor)

    def _scan(self, query: SessionFilter, after: ListCursor | None = None) -> "_Scan":
        machine, words = query.machine, query.words.lower()
        is_asked = self._source.groups.current().matching(query.project)
        is_there = self._source.of_machine(machine)
        prefix = "" if machine in ("", self._source.own_machine) else project_prefix(machine)

        def matches(row: SessionSummary) -> bool:
            id = row.session.project_id
            return is_asked(id) and is_there(id) and _is_wanted(row, query) and words in _text(row)

        # The sessions of one machine are kept in memory; a hub has those of hundreds.
        most = None if self._source.has_files else MAX_SCANNED
        return _Scan(self._candidates(query, prefix, after), matches, most)

    def _candidates(
        self, query: SessionFilter, prefix: str, after: ListCursor | None
    ) -> Iterable[SessionSummary]:
        """Rows among which are all that match, newest first; few, if the index can filter."""
        rows, rank = self._fresh(), _RANKS["newest"]
        if query.pinned:
            pinned = [name for name, mark in self._marks.all().items() if mark.pinned]
            found = sorted(rows.listing.rows(pinned), key=place, reverse=True)
            return [row for row in found if after is None or after > _cursor(row, rank)]
        is_narrow = query.project or prefix or query.only is not None or query.since is not None
        if not is_narrow and after is None:
            return rows
        at = (millis(str(after.rank)) or 0, after.session_id, after.project_id) if after else None
        return rows.listing.summaries(
            project=query.project, only=query.only, prefix=prefix, since=query.since, after=at
        )

    def counts(self, query: SessionFilter) -> SessionCounts:
        """How many there are; on a busy server with many sessions as of some seconds ago."""
        key = structs.replace(query, status="", sort="newest", after=None, limit=0)
        version = self._source.store.head(), self._marks.stamp()
        known = self._counts.get(key)
        if known is not None and known.is_fresh(version):
            return known.counts
        begun = monotonic()
        with self._lock:
            scan = self._scan(key)
            statuses = Counter[str](row.session.status.state for row in scan.rows)
        counts = SessionCounts(statuses.total(), dict(statuses), scan.is_partial)
        self._counts[key] = _CachedCounts(version, monotonic(), monotonic() - begun, counts)
        while len(self._counts) > _MOST_COUNTS:
            self._counts.pop(next(iter(self._counts)))
        return counts

    def named(self, names: Iterable[SessionKey]) -> list[SessionSummary]:
        """Some sessions, in any order; nothing for those that are not known."""
        with self._lock:
            return list(self._fresh().listing.rows(names))

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
            quota=source.watching.recent_quota,
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


class _Scan:
    """The rows that match among the next few; `last` is the last one looked at."""

    def __init__(
        self,
        candidates: Iterable[SessionSummary],
        matches: Callable[[SessionSummary], bool],
        most: int | None,
    ) -> None:
        self._candidates, self._matches, self._most = candidates, matches, most
        self.last: SessionSummary | None = None
        self.is_partial = False
        self.rows = self._scan()

    def _scan(self) -> Iterator[SessionSummary]:
        for number, row in enumerate(self._candidates):
            if number == self._most:
                self.is_partial = True
                return
            self.last = row
            if self._matches(row):
                yield row


class LazyRows:
    """Rows that are made on first use and then kept; `took` is how long that was."""

    def __init__(self, listing: Listing, number: int) -> None:
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
_ASCENDING: Final = ("title", "project", "status")
_BY_TEXT: Final = ("newest", "started", "title", "project")
# What wants you comes first.
_STATUS_RANKS: Final = {name: float(n) for n, name in enumerate(get_args(StatusName))}
_RANKS: Final[dict[Sort, _Rank]] = {
    "newest": lambda row: row.last_activity or "",
    "started": lambda row: row.session.start_time or "",
    "cost": lambda row: row.metrics.cost_usd or 0.0,
    "length": lambda row: float(row.session.duration_ms or 0),
    "agents": lambda row: float(row.agents or 0),
    "tokens": lambda row: float(row.metrics.total_tokens),
    "title": lambda row: (row.session.title or row.session.goal).lower(),
    "project": lambda row: row.session.project_label.lower(),
    "status": lambda row: _STATUS_RANKS[row.session.status.state],
}
