"""Cost reports -> the bars of the spend page: days, weeks or months, also those without usage."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple, TypeVar

from msgspec import UNSET, Struct, UnsetType

from unspool.model.api import CostAnswer, CostItem
from unspool.show.charts.spend import DayCosts
from unspool.show.labels import model_label
from unspool.show.times import day_name

T = TypeVar("T")
WEEK: Final = 7
_MOST_BARS: Final = 400


class Days(NamedTuple):
    """From one day to another, both included."""

    first: date
    last: date

    @property
    def length(self) -> int:
        return (self.last - self.first).days + 1

    def earlier(self, days: int = 28) -> "Days":
        return Days(self.first - timedelta(days), self.last - timedelta(days))

    def __str__(self) -> str:
        names = dict.fromkeys(day_name(day.isoformat()) for day in self)
        return " – ".join(names)


class BarSource(Struct, frozen=True, kw_only=True):
    """What bars are made of: `spent` is dollars by day, also before the window."""

    periods: CostAnswer
    noun: str
    spent: Mapping[str, float] = {}
    window: Days | None = None
    chosen: Days | None = None


def day_bars(source: BarSource) -> list[DayCosts]:
    """One bar a day, week or month, the oldest first."""
    models = {_date(row): _models(row) for row in _rows(source.periods)}
    names = _filled(sorted(models), source.noun, source.window)
    return [_bar(at, models.get(at, {}), source) for at in names]


def _bar(at: str, models: dict[str, float], source: BarSource) -> DayCosts:
    days, chosen, noun = _days(at, source.noun), source.chosen, source.noun
    if days is None:
        return DayCosts(day_name(at), models)
    is_off = bool(chosen and (days.last < chosen.first or chosen.last < days.first))
    has_earlier = bool(source.spent) and noun != "month"
    earlier = spent_on(source.spent, days.earlier()) if has_earlier else None
    short = day_name(at)
    name = f"{days.first:%a} {short}" if noun == "day" else short
    return DayCosts(name, models, str(days.first), str(days.last), earlier, is_off, short)


def _days(at: str, noun: str) -> Days | None:
    """The days of a bar; None: it has none."""
    try:
        first = _begun(at)
    except ValueError:
        return None
    longest = {"day": 1, "week": WEEK}.get(noun) or monthrange(first.year, first.month)[1]
    return Days(first, first + timedelta(longest - 1))


def spent_on(days: Mapping[str, float], some: Days) -> float:
    """Dollars of some days."""
    every = (some.first + timedelta(n) for n in range(some.length))
    return sum(days.get(day.isoformat(), 0.0) for day in every)


def _filled(names: Sequence[str], noun: str, window: Days | None) -> Sequence[str]:
    """Days, weeks or months, including those without usage."""
    dated = [name for name in names if name[:1].isdecimal()]
    try:
        ends = [_begun(name) for name in (dated[0], dated[-1])] if dated else []
    except ValueError:
        return names
    if window and noun == "day":
        ends = [window.first, window.last]
    filled = [name for name in names if name not in dated]
    at, last = ends if ends else (date.max, date.min)
    while at <= last and len(filled) < _MOST_BARS:
        filled.append(at.isoformat()[:7] if noun == "month" else at.isoformat())
        step = {"day": 1, "week": 7}.get(noun, 32)
        at = at + timedelta(days=step)
        at = at.replace(day=1) if noun == "month" else at
    return filled if set(names) <= set(filled) else names


def _begun(name: str) -> date:
    return date.fromisoformat(name if len(name) > 7 else f"{name}-01")


def _rows(answer: CostAnswer) -> tuple[CostItem, ...]:
    return given(answer.daily) or given(answer.weekly) or given(answer.monthly)


def given(rows: tuple[T, ...] | UnsetType) -> tuple[T, ...]:
    """A list of a report, empty if the report has none."""
    return () if rows is UNSET else rows


def _date(row: CostItem) -> str:
    labels = (row.date, row.week, row.month)
    return next((name for name in labels if name is not UNSET), "")


def _models(row: CostItem) -> dict[str, float]:
    sums: dict[str, float] = {}
    for one in given(row.model_breakdowns):
        name = model_label(one.model_name) or "unknown"
        sums[name] = sums.get(name, 0.0) + (one.cost or 0.0)
    return sums
