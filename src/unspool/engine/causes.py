"""Why it was spent: sums by cause, from facts or as a store keeps them."""

from itertools import islice
from typing import Final, TypeAlias

from unspool.derive.daily_causes import daily_causes
from unspool.derive.insights import InsightFacts, joined_facts, without_sessions
from unspool.engine import dates
from unspool.model.insights import CauseReport
from unspool.model.prices import PriceTable
from unspool.model.query import CauseQuery, Scope
from unspool.store import ActivityFacts, Store

DayNumbers: TypeAlias = tuple[int, int]  # the first and the last, counted from 1970

_VERSION: Final = 1  # of the rules below: another one has all sums made again
FOREVER: Final = 2**62


class CauseMaker:
    """What a store is given to keep sums by cause, by days of this machine's clock."""

    def __init__(self, prices: PriceTable, version: str) -> None:
        self._prices = prices
        self.day_of = dates.day_numbers(None)
        self.rules = f"{_VERSION} {version} {dates.clock_name(None)}"

    def report(self, facts: ActivityFacts) -> CauseReport:
        """Sums of some sessions."""
        return daily_causes(insight_facts(facts), self._prices, self.day_of)


def causes_of_days(
    store: Store,
    window: DayNumbers | None,
    projects: tuple[str, ...] | None,
    scope: Scope,
    prices: PriceTable,
) -> CauseReport:
    """Sums of a window, from facts: beside its days, those of sessions that go beyond it."""
    since, until = moments(window)
    given = store.facts_of(since, until, projects=projects, scope=scope)
    facts = insight_facts(given)
    if across := given.across():
        whole = store.facts_of(-FOREVER, FOREVER, projects=projects, scope=scope, sessions=across)
        facts = joined_facts(without_sessions(facts, across), insight_facts(whole))
    return daily_causes(facts, prices, dates.day_numbers(None))


def narrowed(report: CauseReport, query: CauseQuery) -> CauseReport:
    """What a store would have said of some days and models."""
    models = query.models

    def is_asked(day: int, model: str) -> bool:
        is_late = query.first is None or day >= query.first
        is_early = query.last is None or day <= query.last
        return is_late and is_early and (models is None or model in models)

    day_of = dates.day_numbers(None)
    breaks = (one for one in report.breaks if is_asked(day_of(one.at), one.model))
    return CauseReport(
        [one for one in report.sums if is_asked(one.day, one.model)],
        list(islice(breaks, query.breaks)),
    )


def insight_facts(facts: ActivityFacts) -> InsightFacts:
    """All that insights are made from."""
    return InsightFacts(
        facts.calls(),
        facts.responses(),
        facts.compactions(),
        facts.agent_types(),
        facts.prompts(),
    )


def whole_days(since: int, until: int) -> DayNumbers | None:
    """The days of this machine's clock that are within some time; None where there are none."""
    day_of = dates.day_numbers(None)
    first, last = day_of(since), day_of(until) - 1
    first += dates.midnight_of(first) < since
    return (first, last) if first <= last else None


def moments(days: DayNumbers | None) -> tuple[int, int]:
    """When some days of this machine's clock begin and end."""
    if days is None:
        return 0, FOREVER
    return dates.midnight_of(days[0]), dates.midnight_of(days[1] + 1)
