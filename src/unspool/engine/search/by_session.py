"""A search -> the sessions it finds, each with its best hits; what it counts is not read."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import structs

from unspool.model.api import SearchResult
from unspool.model.query import HitCounts, SearchHit, SessionKey, TextQuery
from unspool.model.rows import TextKind
from unspool.model.search import MatchedSessions, SessionMatches
from unspool.store import Store

_SESSIONS: Final = 12  # on a page
_BEST: Final = 3
_BESIDE: Final = 5  # of the others, so many can be unfolded
_HITS: Final = 40  # on a page of one session
_TICKS: Final = 200
_RANKED: Final = 200  # the best lines of all, which say in which order sessions come
# What was asked and answered says more than what a tool printed.
_WORTH: Final[Mapping[str, int]] = {
    "prompt": 0,
    "answer": 1,
    "summary": 2,
    "tool_input": 3,
    "thinking": 4,
    "tool_result": 5,
}


class SessionSearch:
    """Finds sessions by the lines in them; `read` makes results of hits."""

    def __init__(
        self,
        store: Store,
        roots: Sequence[str],
        read: Callable[[Sequence[SearchHit]], list[SearchResult]],
    ) -> None:
        self._store, self._roots, self._read = store, roots, read

    def page(self, query: TextQuery, first: int = 0) -> MatchedSessions:
        """Sessions from a place on: those with the newest hits, or the best, come first.

        Of one session that is asked for, all hits are shown: from a place on, in their order.
        """
        counts = self._store.count_hits(query, self._roots)
        found = _wanted(counts, query.kinds)
        total = sum(sum(kinds.values()) for kinds, _ in found.values())
        if query.session:
            last, most = first + _HITS, total
            made = [self._whole(name, found[name][0], query, first) for name in found]
        else:
            last, most = first + _SESSIONS, len(found)
            names = self._order(found, query)[first:last]
            made = [self._group(name, found[name][0], query) for name in names]
        return MatchedSessions(
            kinds=_by_kind(counts),
            hits=total,
            sessions=len(found),
            groups=tuple(group for group in made if group.best),  # others went meanwhile
            next=last if last < most else None,
            is_partial=counts.is_partial,
        )

    def _order(self, found: "_Found", query: TextQuery) -> list[SessionKey]:
        newest = sorted(found, key=lambda name: (found[name][1], *name), reverse=True)
        if query.order != "ranked":
            return newest
        best = self._store.search(structs.replace(query, limit=_RANKED))
        names = dict.fromkeys((hit.project_id, hit.session_id) for hit in best)
        return [*(name for name in names if name in found), *(n for n in newest if n not in names)]

    def _group(
        self, name: SessionKey, kinds: Mapping[TextKind, int], query: TextQuery
    ) -> SessionMatches:
        hits = self._hits(name, query, _TICKS)
        if query.order != "ranked":
            hits.sort(key=lambda hit: _WORTH.get(hit.text_kind, 9))  # and the newest first
        return self._matches(name, kinds, hits, hits[: _BEST + _BESIDE], _BEST)

    def _whole(
        self, name: SessionKey, kinds: Mapping[TextKind, int], query: TextQuery, first: int
    ) -> SessionMatches:
        hits = self._hits(name, query, first + _TICKS)
        return self._matches(name, kinds, hits[first:], hits[first : first + _HITS], _HITS)

    def _hits(self, name: SessionKey, query: TextQuery, limit: int) -> list[SearchHit]:
        project, session = name
        query = structs.replace(query, projects=(project,), session=session, limit=limit)
        return [hit for hit in self._store.search(query) if hit.session_id == session]

    def _matches(
        self,
        name: SessionKey,
        kinds: Mapping[TextKind, int],
        hits: Sequence[SearchHit],
        shown: Sequence[SearchHit],
        best: int,
    ) -> SessionMatches:
        results = self._read(shown)
        return SessionMatches(
            project_id=name[0],
            session_id=name[1],
            kinds=kinds,
            best=tuple(results[:best]),
            others=tuple(results[best:]),
            times=tuple((hit.timestamp, event_id(hit)) for hit in hits if hit.timestamp),
        )


# Of each session: its hits by kind, and when the newest was written.
_Found = dict[SessionKey, tuple[dict[TextKind, int], int]]


def event_id(hit: SearchHit) -> str:
    """The id of the event that a line is."""
    return f"{hit.source_id}.{hit.generation}.{hit.offset}"


def _wanted(counts: HitCounts, kinds: Sequence[TextKind]) -> _Found:
    found: _Found = {}
    for row in counts.rows:
        if not kinds or row.kind in kinds:
            known, newest = found.get((row.project_id, row.session_id), ({}, 0))
            known[row.kind] = known.get(row.kind, 0) + row.count
            found[row.project_id, row.session_id] = known, max(newest, row.newest)
    return found


def _by_kind(counts: HitCounts) -> dict[TextKind, int]:
    total: Counter[TextKind] = Counter()
    for row in counts.rows:
        total[row.kind] += row.count
    return dict(total)
