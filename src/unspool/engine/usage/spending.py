"""What was spent, by the sums that the index keeps up to date."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from threading import Lock
from time import monotonic
from typing import Final

from msgspec import Struct, structs

from unspool.derive.cost_causes import cause_totals
from unspool.derive.insights import InsightFacts
from unspool.derive.usage import reports
from unspool.engine import dates
from unspool.engine.sessions.grouping import Grouping
from unspool.engine.sessions.index_scope import IndexScope
from unspool.engine.usage.cost import CostQuery, by_group
from unspool.model.query import Scope, TotalsGrain, TotalsQuery
from unspool.model.usage import CostBlock, TotalRow
from unspool.store import Store

_GRAINS: Final[dict[str, TotalsGrain]] = {
    "session": "session",
    "project": "project",
    "model": "model",
}
_PICO: Final = 10**12
_END: Final = 1 << 62
_LONGEST_TURN: Final = 86_400_000
RECENT_DAYS: Final = 14
_FRESH_SECONDS: Final = 2.0  # every page shows it, and a busy index changes many times a second
_QUARTER_MS: Final = 900_000


def index_totals(
    store: Store,
    query: CostQuery,
    scope: Scope = None,
    groups: Callable[[], Grouping] = Grouping,
) -> list[TotalRow]:
    """The sums of a report, as coarse as it allows."""
    projects = _projects(store, query, groups)
    totals = store.totals(
        TotalsQuery(
            by=_GRAINS.get(query.by, "quarter"),
            since=query.since,
            until=query.until,
            projects=projects,
            model=query.model,
            scope=scope,
        )
    )
    return by_group([structs.astuple(total) for total in totals], query, groups)


def index_causes(
    store: Store,
    query: CostQuery,
    scope: Scope = None,
    groups: Callable[[], Grouping] = Grouping,
) -> list[TotalRow]:
    """The sums of a report by skill, MCP server, agent, command or tool."""
    since, until, model = query.since or 0, query.until or _END, query.model.lower()
    projects = _projects(store, query, groups)
    facts = store.facts_of(since, until, projects=projects, scope=scope)
    # A command goes on in what follows it.
    before = store.facts_of(max(0, since - _LONGEST_TURN), until, projects=projects, scope=scope)
    found = InsightFacts(
        facts.calls(), facts.responses(), {}, facts.agent_types(), before.prompts()
    )
    return cause_totals(found, query.by, lambda one: model in one.model.lower())


def _projects(
    store: Store, query: CostQuery, groups: Callable[[], Grouping]
) -> tuple[str, ...] | None:
    """The checkouts that a report is about, by their ids; None: all."""
    return groups().select(query.project, store.project_ids()) if query.project else None


def spend_by_hour(
    totals: Iterable[TotalRow], zone: tzinfo | None = None
) -> dict[tuple[int, int], float]:
    """Dollars by weekday (0 is Monday) and hour."""
    sums: dict[tuple[int, int], int] = {}
    for total in totals:
        if quarter := int(total[0]):
            at = datetime.fromtimestamp(quarter / 1_000, UTC).astimezone(zone)
            key = at.weekday(), at.hour
            sums[key] = sums.get(key, 0) + int(total[10])
    return {key: pico / _PICO for key, pico in sums.items()}


class RecentSpend(Struct, frozen=True, kw_only=True):
    """Dollars of each of the last days, today last, and the active five-hour block."""

    days: tuple[float, ...] = (0.0,) * RECENT_DAYS
    block: CostBlock | None = None

    @property
    def today(self) -> float:
        """Dollars since midnight."""
        return self.days[-1]


class RecentSpendCache:
    """Reads the sums of two weeks, at most every other second."""

    def __init__(self, store: Store, scope: IndexScope, now: Callable[[], int]) -> None:
        self._store, self._scope, self._now = store, scope, now
        self._lock = Lock()
        self._cached: tuple[float, int, RecentSpend] | None = None

    def current(self) -> RecentSpend:
        """What was spent lately, at most two seconds old."""
        now = self._now()
        today = dates.day_numbers(None)(now)
        with self._lock:
            cached = self._cached
            if cached is None or monotonic() - cached[0] > _FRESH_SECONDS or cached[1] != today:
                self._cached = cached = monotonic(), today, self._read(now, today)
            return cached[2]

    def _read(self, now: int, today: int) -> RecentSpend:
        days = RECENT_DAYS - 1
        first = date.fromordinal(today + date(1970, 1, 1).toordinal()) - timedelta(days=days)
        query = CostQuery(since=dates.midnight(first) - _QUARTER_MS)
        totals = index_totals(self._store, query, self._scope.current())
        sums = dict.fromkeys(range(today - days, today + 1), 0)
        day_of = dates.day_numbers(None)
        for total in totals:
            day = day_of(int(total[0]))
            if day in sums:
                sums[day] += int(total[10])
        active = next((block for block in reports.blocks(totals, now) if block.is_active), None)
        return RecentSpend(days=tuple(pico / _PICO for pico in sums.values()), block=active)
