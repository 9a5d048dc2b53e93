"""Insights of a time range: causes of cost, tool statistics, activity of sessions."""

from collections import Counter
from collections.abc import Callable, Iterable
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple, TypeAlias, TypeVar, cast

from msgspec import Struct, structs

from unspool.derive.daily_causes import causes_of
from unspool.derive.insights import (
    InsightFacts,
    calls_by_response,
    costs_by_call,
    loops,
    tool_counts,
)
from unspool.engine.causes import DayNumbers, causes_of_days, insight_facts, narrowed
from unspool.engine.sessions.index_scope import IndexScope
from unspool.model.insights import (
    ActivityStrip,
    CallFact,
    CauseReport,
    Causes,
    Loop,
    ToolCount,
)
from unspool.model.prices import PriceTable
from unspool.model.query import CauseQuery, SessionKey, TotalsQuery
from unspool.store import Store

T = TypeVar("T")
Projects: TypeAlias = tuple[str, ...] | None  # their whole ids; None: all
Models: TypeAlias = tuple[str, ...] | None  # their whole names; None: all

# Work that takes long, such as a year's insights, takes at most a tenth of the time.
_REST: Final = 10.0
_FRESH_SECONDS: Final = 5.0
_MAX_INSIGHTS: Final = 16
_MAX_STRIPS: Final = 1_000
_MAX_CHANGES: Final = 2_000  # after more than that, any strip may be out of date
_MAX_BREAKS: Final = 8
_MAX_RESPONSES: Final = 200_000  # that are read for the tools: some seconds, and 200 MB
_MAX_CALLS, _MAX_FAILED = 50, 200  # of one tool
_STEPS: Final = 150  # a strip on the board is some 300 pixels wide: two of them are one step
# Strips that are out of date are read for so many seconds; the others wait for the next request.
_AT_ONCE: Final = 0.04


class ToolInsights(Struct, frozen=True, kw_only=True):
    """One count per tool, and the calls that failed several times in a row."""

    counts: tuple[ToolCount, ...] = ()
    loops: tuple[Loop, ...] = ()
    calls: dict[str, tuple[CallFact, ...]] = {}  # the newest by tool, with the newest that failed
    since: int | None = None  # of a time with very many responses, only the newest are read


class InsightCache:
    """Insights of an index, computed again after changes, at a limited rate."""

    def __init__(self, store: Store, scope: IndexScope, prices: PriceTable) -> None:
        self._store, self._scope, self._prices = store, scope, prices
        self._lock = Lock()
        self._entries: dict[tuple[object, ...], tuple[int, float, float, object]] = {}

    def causes(
        self,
        window: DayNumbers | None,
        projects: Projects = None,
        models: Models = None,
        *,
        chosen: DayNumbers | None = None,
    ) -> Causes:
        """Where the dollars of the chosen days went, or of all of the window; None: all time."""
        first, last = chosen or window or (None, None)
        query = CauseQuery(
            first=first,
            last=last,
            projects=projects,
            models=models,
            scope=self._scope.current(),
            breaks=_MAX_BREAKS,
        )
        report = self._store.causes(query)
        if report is None:
            report = narrowed(self._all_causes(window, projects), query)
        lines = {lost.line for lost in report.breaks if lost.line}
        events = self._store.facts_of(0, 0).event_ids(lines) if lines else {}
        breaks = tuple(
            structs.replace(one, event_id=events.get(one.line, "")) for one in report.breaks
        )
        return causes_of(report._replace(breaks=breaks))

    def _all_causes(self, window: DayNumbers | None, projects: Projects) -> CauseReport:
        """Of all models, by day."""
        return self._cached(
            ("causes", window, projects),
            lambda: causes_of_days(
                self._store, window, projects, self._scope.current(), self._prices
            ),
        )

    def tools(self, since: int, until: int, projects: Projects = None) -> ToolInsights:
        """Counts of tools, and repeated failures."""
        return self._cached(
            ("tools", since, until, projects), lambda: self._tools(since, until, projects)
        )

    def _tools(self, since: int, until: int, projects: Projects) -> ToolInsights:
        begin = self._newest(since, until, projects)
        since = since if begin is None else begin
        facts = self._facts(since, until, projects)
        waits = self._store.facts_of(since, until).waits()
        costs = costs_by_call(calls_by_response(facts.calls, facts.responses))
        return ToolInsights(
            counts=tuple(tool_counts(facts.calls, waits)),
            loops=tuple(loops(facts.calls, costs)),
            calls=_newest_calls(facts.calls),
            since=begin,
        )

    def _newest(self, since: int, until: int, projects: Projects) -> int | None:
        """The hour from which on there are not too many responses; None where all are few."""
        scope = self._scope.current()
        asked = TotalsQuery(by="hour", since=since, until=until, projects=projects, scope=scope)
        hours: Counter[int] = Counter()
        for total in self._store.totals(asked):
            hours[total.quarter] += total.responses
        responses, begin = 0, None
        for hour in sorted(hours, reverse=True):
            responses += hours[hour]
            if begin is not None and responses > _MAX_RESPONSES:
                return begin
            begin = hour
        return None

    def _facts(self, since: int, until: int, projects: Projects) -> InsightFacts:
        scope = self._scope.current()
        return insight_facts(self._store.facts_of(since, until, projects=projects, scope=scope))

    def clear(self) -> None:
        """Keep nothing; waits for nobody who computes."""
        self._entries = {}

    def _cached(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        head = self._store.head()
        with self._lock:
            if key in self._entries:
                known_head, at, took, value = self._entries[key]
                if known_head == head or monotonic() - at < max(_FRESH_SECONDS, took * _REST):
                    return cast(T, value)
            start = monotonic()
            made = make()
            self._entries.pop(key, None)
            self._entries[key] = head, monotonic(), monotonic() - start, made
            while len(self._entries) > _MAX_INSIGHTS:
                self._entries.pop(next(iter(self._entries)))
            return made


def _newest_calls(calls: Iterable[CallFact]) -> dict[str, tuple[CallFact, ...]]:
    groups: dict[str, list[CallFact]] = {}
    for call in sorted(calls, key=lambda one: -one.start):
        groups.setdefault(call.name or "?", []).append(call)
    found = {}
    for name, group in groups.items():
        failed = [call for call in group if call.state == "error"][:_MAX_FAILED]
        some = {call.tool_use_id: call for call in (*group[:_MAX_CALLS], *failed)}
        found[name] = tuple(sorted(some.values(), key=lambda one: -one.start))
    return found


class _CachedStrip(NamedTuple):
    strip: ActivityStrip
    until: float  # monotonic seconds: a long session is not read again for every line


class ActivityCache:
    """When things happened in sessions, read again after the index has changed about them."""

    def __init__(self, store: Store, at_once: float = _AT_ONCE) -> None:
        self._store, self._at_once = store, at_once
        self._lock = Lock()
        self._head = store.head()
        self._strips: dict[SessionKey, _CachedStrip] = {}
        self._stale: set[SessionKey] = set()

    def strips(self, names: Iterable[SessionKey]) -> dict[SessionKey, ActivityStrip]:
        """Strips of sessions; nothing for those that the index does not know."""
        self._follow()
        known = {name: self._strips.get(name) or self._read(name) for name in names}
        found = {name: cached for name, cached in known.items() if cached is not None}
        with self._lock:
            stale = self._stale & found.keys()
        start = monotonic()
        for name in sorted(stale, key=lambda name: found[name].until):
            if start >= found[name].until:
                found[name] = self._read(name) or found[name]
                if monotonic() - start >= self._at_once:
                    break
        return {name: cached.strip for name, cached in found.items()}

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._strips, self._stale = {}, set()

    def _follow(self) -> None:
        """Note which sessions the index has changed about; one that is not named is any."""
        with self._lock:
            changes = self._store.changes(after=self._head, limit=_MAX_CHANGES)
            if not changes:
                return
            names = {(one.project_id, one.session_id) for one in changes}
            if len(changes) < _MAX_CHANGES and all(session for _, session in names):
                self._head = changes[-1].seq
                self._stale |= names & self._strips.keys()
            else:
                self._head = self._store.head()
                self._stale = {*self._strips}

    def _read(self, name: SessionKey) -> _CachedStrip | None:
        with self._lock:
            self._stale.discard(name)  # first: what changes from here on is noted again
        start = monotonic()
        strip = self._store.strips([name]).get(name)
        if strip is None:
            return None
        now = monotonic()
        rest = max((now - start) * _REST, _seconds(strip) / _STEPS)
        entry = _CachedStrip(strip, now + rest)
        with self._lock:
            self._strips.pop(name, None)
            self._strips[name] = entry
            while len(self._strips) > _MAX_STRIPS:
                self._strips.pop(next(iter(self._strips)))
        return entry


def _seconds(strip: ActivityStrip) -> float:
    starts = [one[0].start for one in (strip.turns, strip.calls) if one]
    ends = [one[-1].end for one in (strip.turns, strip.calls) if one]
    return (max(ends) - min(starts)) / 1_000 if starts else 0.0
