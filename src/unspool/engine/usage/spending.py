"""What was spent, by the sums that the index keeps up to date."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from threading import Lock
from time import monotonic
from typing import Final

from msgspec import Struct, structs

from unspool.derive.usage import reports
from unspool.engine import dates
from unspool.engine.sessions.index_scope import IndexScope
from unspool.engine.usage.cost import CostQuery
from unspool.model.query import Scope, TotalsGrain, TotalsQuery
from unspool.model.usage import CostBlock, TotalRow
from unspool.store import Store

_GRAINS: Final[dict[str, TotalsGrain]] = {
    "session": "session",
    "project": "project",
    "model": "model",
}
_PICO: Final = 10**12
RECENT_DAYS: Final = 14
_FRESH_SECONDS: Final = 2.0  # every page shows it, and a busy index changes many times a second
_QUARTER_MS: Final = 900_000


def index_totals(store: Store, query: CostQuery, scope: Scope = None) -> list[TotalRow]:
    """The sums of a report, as coarse as it allows."""
    totals = store.totals(
        TotalsQuery(
            by=_GRAINS.get(query.by, "quarter"),
            since=query.since,
            until=query.until,
            project=query.project,
            model=query.model,
            scope=scope,
        )
    )
    return [structs.astuple(total) for total in totals]


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
