"""What was used -> cost reports: which sums belong to one, and how its rows are made.

Loads nothing heavy: see `totals`.
"""

from collections.abc import Iterable
from datetime import tzinfo
from typing import NamedTuple

from unspool.derive.usage import reports
from unspool.engine.dates import day_numbers, utc_offset
from unspool.engine.usage.totals import RootUsage, UsageSource, devtools_totals
from unspool.errors import UsageError
from unspool.model.usage import CostBlock, Pace, Report, TotalRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from unspool.engine.sessions.grouping import Grouping

PERIODS = ("daily", "weekly", "monthly")
GROUPS = ("session", "project", "model")
CAUSES = ("skill", "mcp", "agent", "command", "tool")  # these take an index
_FIRST, _LAST = 14, 15  # of a total: when its first and its last response came


class CostQuery(NamedTuple):
    """Which report, and of what; times in milliseconds, `until` not included."""

    by: str = "daily"
    since: int | None = None
    until: int | None = None
    project: str = ""  # part of its name or id, or the path of a checkout
    model: str = ""  # the same
    zone: tzinfo | None = None
    ascending: bool | None = None  # by date; by cost where rows are not dates
    start_of_week: str = "sunday"
    separate: bool = False  # by project: each checkout by itself
    only: tuple[str, ...] | None = None  # these checkouts of an index, by their whole ids

    @property
    def is_filtered(self) -> bool:
        """Whether some usage is left out."""
        narrow = self.project or self.model
        return bool(narrow) or self.since is not None or self.until is not None


def usage_totals(
    source: UsageSource, query: CostQuery, mode: str = "billing"
) -> tuple[list[TotalRow], RootUsage | None]:
    """The sums a report is made of, and the usage whose cache is to be written once it is shown."""
    if mode == "devtools":
        return matching(devtools_totals(source), query, source.groups), None
    usage = RootUsage(source)
    is_by_day = query.by in PERIODS and not query.is_filtered
    totals = usage.totals(utc_offset(query.zone) if is_by_day else None)
    return matching(totals, query, source.groups), usage


def matching(
    totals: Iterable[TotalRow], query: CostQuery, groups: "Callable[[], Grouping]"
) -> list[TotalRow]:
    """The sums that a query asks for, by the projects it asks for; `groups` only if it does."""
    model, first, last = query.model.lower(), query.since, query.until
    found = [
        total
        for total in totals
        if model in str(total[4]).lower()
        and (first is None or int(total[_LAST]) >= first)
        and (last is None or 0 < int(total[_FIRST]) < last)
    ]
    if query.project:
        is_asked = groups().matching(query.project)
        found = [total for total in found if is_asked(str(total[1]))]
    return by_group(found, query, groups)


def by_group(
    totals: list[TotalRow], query: CostQuery, groups: "Callable[[], Grouping]"
) -> list[TotalRow]:
    """Sums of checkouts as those of their projects, in a report by project."""
    if query.by != "project" or query.separate:
        return totals
    key = groups().key
    return [(total[0], key(str(total[1])), *total[2:]) for total in totals]


def cost_report(totals: Iterable[TotalRow], query: CostQuery) -> Report:
    """A report by day, week, month, session, project, model or cause."""
    if query.by in PERIODS:
        days = day_numbers(query.zone)
        report = reports.build_report(
            totals, reports.period_names(query.by, days, query.start_of_week)
        )
        return Report(report.rows[::-1], report.total) if query.ascending is False else report
    report = reports.build_report(totals, reports.group_names(query.by))
    return reports.sort_by_cost(report, descending=not query.ascending)


class BlockReport(NamedTuple):
    """Usage blocks; the pace and the limit are of the active one."""

    blocks: list[CostBlock]
    active: CostBlock | None
    pace: Pace | None
    token_limit: int | None = None


class BlockQuery(NamedTuple):
    """Which usage blocks to report."""

    hours: float = 5
    token_limit: str = ""  # a number of tokens, or `max`: the largest block before the active one
    only_recent: bool = False
    only_active: bool = False
    newest_first: bool = False


def block_report(totals: Iterable[TotalRow], now: int, query: BlockQuery) -> BlockReport:
    """The windows of five hours that a plan counts usage in."""
    every = reports.blocks(totals, now, int(query.hours * reports.HOUR))
    active = next((block for block in every if block.is_active), None)
    shown = reports.recent_blocks(every, now) if query.only_recent else every
    if query.only_active:
        shown = [block for block in shown if block.is_active]
    return BlockReport(
        shown[::-1] if query.newest_first else shown,
        active,
        reports.pace(active, now) if active else None,
        _limit(query.token_limit, every),
    )


def _limit(text: str, every: list[CostBlock]) -> int | None:
    if text == "max":
        ended = (block.spend.tokens for block in every if not block.is_active)
        return max(ended, default=0) or None
    if text and (not text.isdecimal() or not int(text)):
        raise UsageError(f"A token limit is a number of tokens or `max`, not {text!r}.")
    return int(text) if text else None
