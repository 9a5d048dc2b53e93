"""Sums of the ledger -> a report by day, week, month, session, project or model."""

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import TypeAlias

from unspool.model.usage import CostRow, Report, Spend, TotalRow

UNDATED = "undated"
NAMELESS = "unknown"
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_COUNTS = 5  # where those of a total begin
_EPOCH = date(1970, 1, 1).toordinal()

Calendar: TypeAlias = Callable[[int], int]  # milliseconds -> the reader's day, counted from 1970
Name: TypeAlias = tuple[str, str]  # and the project, where that is told besides


def periods(kind: str, calendar: Calendar, week: str = "sunday") -> Callable[[TotalRow], Name]:
    """What to call the day, week or month of a sum."""
    known: dict[int, Name] = {}

    def name(total: TotalRow) -> Name:
        at = total[0]
        if not at:
            return UNDATED, ""
        day = calendar(at)  # type: ignore[arg-type]
        found = known.get(day)
        if found is None:
            found = known[day] = _period(date.fromordinal(_EPOCH + day), kind, week), ""
        return found

    return name


def _period(day: date, kind: str, week: str) -> str:
    if kind == "monthly":
        return day.isoformat()[:7]
    if kind == "weekly":
        day -= timedelta(days=(day.weekday() - WEEKDAYS.index(week)) % 7)
    return day.isoformat()


def things(kind: str) -> Callable[[TotalRow], Name]:
    """What to call the session, project or model of a sum."""
    if kind == "session":
        return lambda total: (str(total[2]), str(total[1]))
    column = 1 if kind == "project" else 4
    return lambda total: (str(total[column]) or NAMELESS, "")


def report(totals: Iterable[TotalRow], name: Callable[[TotalRow], Name]) -> Report:
    """Add up what goes by one name; rows come in the order of their names."""
    groups: dict[tuple[Name, int | str], list[TotalRow]] = {}
    for total in totals:
        key = name(total), total[4]
        if key in groups:
            groups[key].append(total)
        else:
            groups[key] = [total]
    named: dict[Name, dict[str, Spend]] = {}
    for (whose, model), parts in groups.items():
        named.setdefault(whose, {})[str(model) or NAMELESS] = added(parts, _COUNTS)
    rows = [_row(*whose, models) for whose, models in sorted(named.items())]
    every: dict[str, list[TotalRow]] = {}
    for row in rows:
        for model, spend in row.models.items():
            every.setdefault(model, []).append(spend)
    return Report(rows, _row("total", "", {model: added(s) for model, s in every.items()}))


def dearest(report: Report, *, first: bool = True) -> Report:
    """The same with what cost most at the top, or at the bottom."""
    rows = sorted(report.rows, key=lambda row: row.spend.pico, reverse=first)
    return Report(rows, report.total)


def added(parts: Iterable[TotalRow], skip: int = 0) -> Spend:
    """The sum of some spends, which may begin so far inside the tuples."""
    columns = list(zip(*parts, strict=True))[skip:]
    if not columns:
        return Spend()
    *counts, first, last = columns
    return Spend._make((*map(sum, counts), min(filter(None, first), default=0), max(last)))


def _row(name: str, project: str, models: dict[str, Spend]) -> CostRow:
    ranked = sorted(models.items(), key=lambda item: (-item[1].pico, item[0]))
    return CostRow(name, added(models.values()), dict(ranked), project)
