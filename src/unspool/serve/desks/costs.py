"""The ledger -> reports of what was spent."""

from datetime import UTC, date, datetime, tzinfo
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct, structs

from unspool.derive.usage import blocks, reports
from unspool.model.api_costs import CostAnswer
from unspool.model.costs import Report, Total
from unspool.model.query import TotalsGrain, TotalsQuery
from unspool.serve.desks import days
from unspool.serve.desks.around import Around
from unspool.serve.desks.ours import Ours
from unspool.show import costs_json

By: TypeAlias = Literal["daily", "weekly", "monthly", "session", "project", "model", "blocks"]
_PERIODS: Final = ("daily", "weekly", "monthly")
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
    """Reports from the index; whoever writes it keeps its sums and prices up to date."""

    def __init__(self, around: Around, ours: Ours) -> None:
        self._around, self._ours = around, ours

    def report(self, asked: CostAsked) -> CostAnswer:
        """One report."""
        place = days.zone(asked.timezone)
        found = self._totals(asked, _GRAINS[asked.by], place)
        if asked.by == "blocks":
            now = self._around.now()
            every = blocks.blocks(found, now)
            running = next((block for block in every if block.is_active), None)
            pace = blocks.pace(running, now) if running else None
            return msgspec.convert(costs_json.blocks_document(every, pace, None), CostAnswer)
        made = _made(found, asked.by, place)
        return msgspec.convert(costs_json.document(made, asked.by), CostAnswer)

    def hours(self, asked: CostAsked) -> dict[tuple[int, int], float]:
        """Dollars by weekday, of which 0 is Monday, and hour."""
        place, sums = days.zone(asked.timezone), dict[tuple[int, int], int]()
        for total in self._totals(asked, "quarter", place):
            if int(total[0]):
                at = datetime.fromtimestamp(int(total[0]) / 1_000, UTC).astimezone(place)
                key = at.weekday(), at.hour
                sums[key] = sums.get(key, 0) + int(total[10])
        return {key: pico / 10**12 for key, pico in sums.items()}

    def _totals(self, asked: CostAsked, by: TotalsGrain, place: tzinfo | None) -> list[Total]:
        query = TotalsQuery(
            by=by,
            since=days.midnight(asked.since, place) if asked.since else None,
            until=days.midnight(asked.until, place, days=1) if asked.until else None,
            project=asked.project,
            model=asked.model,
            scope=self._ours.scope(),
        )
        return [structs.astuple(total) for total in self._around.store.totals(query)]


def _made(found: list[Total], by: str, place: tzinfo | None) -> Report:
    if by in _PERIODS:
        return reports.report(found, reports.periods(by, days.calendar(place)))
    return reports.dearest(reports.report(found, reports.things(by)))
