"""Insights of a time range: causes of cost, tool statistics, activity of sessions."""

from collections.abc import Callable, Iterable
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple, TypeAlias, TypeVar, cast

from msgspec import Struct, structs

from unspool.derive.cost_causes import ranked_causes
from unspool.derive.insights import InsightFacts, causes, costs_by_call, loops, tool_counts
from unspool.engine.sessions.index_scope import IndexScope
from unspool.model.insights import ActivityStrip, Causes, Loop, ToolCount
from unspool.model.prices import PriceTable
from unspool.model.query import SessionKey
from unspool.store import Store

T = TypeVar("T")
Projects: TypeAlias = tuple[str, ...] | None  # their whole ids; None: all

# Work that takes long, such as a year's insights, takes at most a tenth of the time.
_REST: Final = 10.0
_FRESH_SECONDS: Final = 5.0
_MAX_INSIGHTS: Final = 16
_MAX_STRIPS: Final = 1_000
_STEPS: Final = 150  # a strip on the board is some 300 pixels wide: two of them are one step
# Strips that are out of date are read for so many seconds; the others wait for the next request.
_AT_ONCE: Final = 0.04


class ToolInsights(Struct, frozen=True, kw_only=True):
    """One count per tool, and the calls that failed several times in a row."""

    counts: tuple[ToolCount, ...] = ()
    loops: tuple[Loop, ...] = ()


class InsightCache:
    """Insights of an index, computed again after changes, at a limited rate."""

    def __init__(self, store: Store, scope: IndexScope, prices: PriceTable) -> None:
        self._store, self._scope, self._prices = store, scope, prices
        self._lock = Lock()
        self._entries: dict[tuple[object, ...], tuple[int, float, float, object]] = {}

    def causes(self, since: int, until: int, projects: Projects = None) -> Causes:
        """Where the dollars went."""
        return self._cached(
            ("causes", since, until, projects),
            lambda: self._causes(since, until, projects),
        )

    def _causes(self, since: int, until: int, projects: Projects) -> Causes:
        facts = self._facts(since, until, projects)
        return structs.replace(
            causes(facts, self._prices),
            skills=ranked_causes(facts, "skill"),
            mcp_servers=ranked_causes(facts, "mcp"),
            commands=ranked_causes(facts, "command"),
        )

    def tools(self, since: int, until: int, projects: Projects = None) -> ToolInsights:
        """Counts of tools, and repeated failures."""
        return self._cached(
            ("tools", since, until, projects), lambda: self._tools(since, until, projects)
        )

    def _tools(self, since: int, until: int, projects: Projects) -> ToolInsights:
        facts = self._facts(since, until, projects)
        waits = self._store.facts_of(since, until).waits()
        costs = costs_by_call(facts.calls, facts.responses)
        return ToolInsights(
            counts=tuple(tool_counts(facts.calls, waits)), loops=tuple(loops(facts.calls, costs))
        )

    def _facts(self, since: int, until: int, projects: Projects) -> InsightFacts:
        scope = self._scope.current()
        facts = self._store.facts_of(since, until, projects=projects, scope=scope)
        return InsightFacts(
            facts.calls(),
            facts.responses(),
            facts.compactions(),
            facts.agent_types(),
            facts.prompts(),
        )

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


class _CachedStrip(NamedTuple):
    version: object
    strip: ActivityStrip
    until: float  # monotonic seconds: a long session is not read again for every line


class ActivityCache:
    """When things happened in sessions, read once for each version of a session."""

    def __init__(self, store: Store, at_once: float = _AT_ONCE) -> None:
        self._store, self._at_once = store, at_once
        self._lock = Lock()
        self._strips: dict[SessionKey, _CachedStrip] = {}

    def strips(
        self, versions: Iterable[tuple[SessionKey, object]]
    ) -> dict[SessionKey, ActivityStrip]:
        """Strips of sessions; each comes with a value that changes when the session does."""
        wanted = dict(versions)
        known = {name: self._strips.get(name) or self._read(name, wanted[name]) for name in wanted}
        found = {name: cached for name, cached in known.items() if cached is not None}
        start = monotonic()
        for name in sorted(found, key=lambda name: found[name].until):
            cached = found[name]
            if cached.version != wanted[name] and start >= cached.until:
                found[name] = self._read(name, wanted[name]) or cached
                if monotonic() - start >= self._at_once:
                    break
        return {name: cached.strip for name, cached in found.items()}

    def _read(self, name: SessionKey, version: object) -> _CachedStrip | None:
        start = monotonic()
        strip = self._store.strips([name]).get(name)
        if strip is None:
            return None
        now = monotonic()
        rest = max((now - start) * _REST, _seconds(strip) / _STEPS)
        entry = _CachedStrip(version, strip, now + rest)
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
