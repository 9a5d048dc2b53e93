"""The ledger -> reports of what was spent."""

from datetime import UTC, date, datetime, tzinfo
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct, structs

from unspool.engine import dates
from unspool.engine.cost import BlockQuery, CostQuery, block_report, cost_report
from unspool.model.api import CostAnswer
from unspool.model.query import TotalsGrain, TotalsQuery
from unspool.model.usage import TotalRow
from unspool.serve.desks.around import Around
from unspool.serve.desks.ours import Ours
from unspool.show import cost_json

By: TypeAlias = Literal["daily", "weekly", "monthly", "session", "project", "model", "blocks"]
_GRAINS: Final[dict[By, TotalsGrain]] = {
    "daily": "quarter",
    "weekly": "quarter",
    "monthly": "quarter",
    "blocks": "quarter",
    "session": "session",
    "project": "project",
    "model": "model",
}


class CostAsked(Struct, frozen=True, kw_only=True):
    """Which report, and of what."""

    by: By = "daily"
    since: date | None = None
    until: date | None = None  # that day included
    project: str = ""
    model: str = ""
    timezone: str = ""


class Costs:
    """Reports from the index; the indexer keeps its sums and prices up to date."""

    def __init__(self, around: Around, ours: Ours) -> None:
        self._around, self._ours = around, ours

    def report(self, asked: CostAsked) -> CostAnswer:
        """One report."""
        query = _query(asked, dates.time_zone(asked.timezone))
        found = self._totals(query, _GRAINS[asked.by])
        if asked.by == "blocks":
            made = block_report(found, self._around.now(), BlockQuery())
            document = cost_json.blocks_document(made.blocks, made.pace, None)
        else:
            document = cost_json.document(cost_report(found, query), asked.by)
        return msgspec.convert(document, CostAnswer)

    def hours(self, asked: CostAsked) -> dict[tuple[int, int], float]:
        """Dollars by weekday, of which 0 is Monday, and hour."""
        place, sums = dates.time_zone(asked.timezone), dict[tuple[int, int], int]()
        for total in self._totals(_query(asked, place), "quarter"):
            if int(total[0]):
                at = datetime.fromtimestamp(int(total[0]) / 1_000, UTC).astimezone(place)
                key = at.weekday(), at.hour
                sums[key] = sums.get(key, 0) + int(total[10])
        return {key: pico / 10**12 for key, pico in sums.items()}

    def _totals(self, query: CostQuery, by: TotalsGrain) -> list[TotalRow]:
        asked = TotalsQuery(
            by=by,
            since=query.since,
            until=query.until,
            project=query.project,
            model=query.model,
            scope=self._ours.scope(),
        )
        return [structs.astuple(total) for total in self._around.store.totals(asked)]


def _query(asked: CostAsked, place: tzinfo | None) -> CostQuery:
    return CostQuery(
        asked.by,
        dates.midnight(asked.since, place) if asked.since else None,
        dates.midnight(asked.until, place, days=1) if asked.until else None,
        asked.project,
        asked.model,
        place,
    )
