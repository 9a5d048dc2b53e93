"""What was spent, by the sums that the index keeps up to date."""

from collections.abc import Callable, Iterable
from datetime import date, timedelta, tzinfo
from threading import Lock
from time import monotonic
from typing import Final

from msgspec import Struct, structs

from unspool.derive.cost_causes import cause_totals
from unspool.derive.insights import InsightFacts
from unspool.derive.usage import reports
from unspool.engine import dates
from unspool.engine.causes import FOREVER, moments, whole_days
from unspool.engine.sessions.grouping import Grouping
from unspool.engine.sessions.index_scope import IndexScope
from unspool.engine.usage.cost import PERIODS, CostQuery, by_group
from unspool.model.insights import CauseSum
from unspool.model.query import CauseQuery, Scope, TotalsGrain, TotalsQuery
from unspool.model.usage import CostBlock, HourSpend, Spend, TotalRow
from unspool.store import Store

_GRAINS: Final[dict[str, TotalsGrain]] = {
    "session": "session",
    "project": "project",
    "model": "model",
}
_PICO: Final = 10**12
_COUNTS: Final = CauseSum._fields.index("input_tokens")
_LONGEST_TURN: Final = 86_400_000
RECENT_DAYS: Final = 14
_FRESH_SECONDS: Final = 2.0  # every page shows it, and a busy index changes many times a second
_QUARTER_MS: Final = 900_000
_HOUR_MS: Final = 3_600_000
_EPOCH_WEEKDAY: Final = 3  # 1970 began on a Thursday


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
            by=_GRAINS.get(query.by) or _grain_of_days(query),
            since=query.since,
            until=query.until,
            projects=projects,
            model=query.model,
            scope=scope,
        )
    )
    return by_group([structs.astuple(total) for total in totals], query, groups)


def _grain_of_days(query: CostQuery) -> TotalsGrain:
    """Hours, where days of the reader's clock are made of whole ones."""
    is_whole = query.by in (*PERIODS, "hours") and dates.has_whole_hours(query.zone)
    return "hour" if is_whole else "quarter"


def index_causes(
    store: Store,
    query: CostQuery,
    scope: Scope = None,
    groups: Callable[[], Grouping] = Grouping,
) -> list[TotalRow]:
    """The sums of a report by skill, MCP server, agent, command or tool."""
    projects, model = _projects(store, query, groups), query.model.lower()

    def of_facts(since: int, until: int) -> list[TotalRow]:
        facts = store.facts_of(since, until, projects=projects, scope=scope)
        # A command goes on in what follows it.
        early = max(0, since - _LONGEST_TURN)
        before = store.facts_of(early, until, projects=projects, scope=scope)
        found = InsightFacts(
            facts.calls(), facts.responses(), {}, facts.agent_types(), before.prompts()
        )
        return cause_totals(found, query.by, lambda one: model in one.model.lower())

    since, until = query.since or 0, query.until or FOREVER
    days = whole_days(since, until)
    asked = CauseQuery(projects=projects, scope=scope, sides=(query.by,))
    if days and query.since is not None:
        asked = structs.replace(asked, first=days[0])
    if days and query.until is not None:
        asked = structs.replace(asked, last=days[1])
    kept = store.causes(asked) if days else None
    if days is None or kept is None:
        return of_facts(since, until)
    begin, end = moments(days)
    sums = [
        (0, one.name, "", "", one.model, *one[_COUNTS:])
        for one in kept.sums
        if model in one.model.lower()
    ]
    early = of_facts(since, begin) if query.since is not None and since < begin else []
    late = of_facts(end, until) if query.until is not None and end < until else []
    return [*early, *sums, *late]


def _projects(
    store: Store, query: CostQuery, groups: Callable[[], Grouping]
) -> tuple[str, ...] | None:
    """The checkouts that a report is about, by their ids; None: all."""
    if query.only is not None:
        return query.only
    return groups().select(query.project, store.project_ids()) if query.project else None


def spend_by_hour(
    totals: Iterable[TotalRow], zone: tzinfo | None = None
) -> dict[tuple[int, int], HourSpend]:
    """Dollars by weekday (0 is Monday) and hour."""
    sums: dict[tuple[int, int], dict[int, int]] = {}
    ahead = dates.steady_offset(zone)
    for total in totals:
        if quarter := int(total[0]):
            day, hour = divmod((quarter + ahead(quarter)) // _HOUR_MS, 24)
            days = sums.setdefault(((day + _EPOCH_WEEKDAY) % 7, hour), {})
            days[day] = days.get(day, 0) + int(total[10])
    return {
        key: HourSpend(sum(days.values()) / _PICO, dates.day_name(max(days, key=days.__getitem__)))
        for key, days in sums.items()
    }


def spend_by_day(totals: Iterable[TotalRow]) -> dict[str, Spend]:
    """What was spent on each day, by its date, as reports by day add it up."""
    names = reports.period_names("daily", dates.day_numbers(None))
    return {row.name: row.spend for row in reports.build_report(totals, names).rows}


def spend_of_days(
    store: Store, since: int, until: int, projects: tuple[str, ...] | None, scope: Scope
) -> dict[str, Spend]:
    """What was spent on each day of some time, on some projects or all."""
    by = _grain_of_days(CostQuery("daily", since, until))
    query = TotalsQuery(by=by, since=since, until=until, projects=projects, scope=scope)
    return spend_by_day(structs.astuple(total) for total in store.totals(query))


class RecentSpend(Struct, frozen=True, kw_only=True):
    """What was spent on each of the last days, today last, and in the active five-hour block."""

    days: tuple[Spend, ...] = (Spend(),) * RECENT_DAYS
    block: CostBlock | None = None

    @property
    def today(self) -> Spend:
        """Since midnight."""
        return self.days[-1]

    @property
    def dollars(self) -> tuple[float, ...]:
        """By day; what has no price is left out."""
        return tuple(day.usd or 0.0 for day in self.days)


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
        found = spend_by_day(totals)
        names = (str(first + timedelta(days=n)) for n in range(RECENT_DAYS))
        active = next((block for block in reports.blocks(totals, now) if block.is_active), None)
        return RecentSpend(days=tuple(found.get(name, Spend()) for name in names), block=active)
