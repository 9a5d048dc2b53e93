"""What was spent, by the sums that the index keeps up to date."""

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from typing import Final

from msgspec import structs

from unspool.engine.usage.cost import CostQuery
from unspool.model.query import Scope, TotalsGrain, TotalsQuery
from unspool.model.usage import TotalRow
from unspool.store import Store

_GRAINS: Final[dict[str, TotalsGrain]] = {
    "session": "session",
    "project": "project",
    "model": "model",
}
_PICO: Final = 10**12


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
