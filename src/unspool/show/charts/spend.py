"""Charts of the spend page: stacked bars by day, ranked bars, a heatmap by hour, a forecast."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, log10
from typing import Final, NamedTuple

from unspool.model.usage import HourSpend
from unspool.show.numbers import format_usd
from unspool.show.times import day_name


class DayCosts(NamedTuple):
    """One bar: its name, dollars by model, and the days it stands for."""

    name: str
    models: dict[str, float]
    first: str = ""  # as 2026-11-09; "": no day is known
    last: str = ""
    earlier: float | None = None  # dollars of the same days four weeks earlier
    is_off: bool = False  # not among the days that were chosen
    short: str = ""  # its name on the axis, if that is another

    @property
    def sum(self) -> float:
        return sum(self.models.values())


class BarPart(NamedTuple):
    """What one model has of a bar; places are percent of the chart's height."""

    tone: str
    model: int
    y: float
    height: float


class StackedBar(NamedTuple):
    label: str
    x: int  # a bar is ten wide, its gap included
    parts: tuple[BarPart, ...]
    first: str
    last: str
    earlier_y: float | None
    is_off: bool


class GridLine(NamedTuple):
    y: float
    text: str


class ChartLabel(NamedTuple):
    x: float
    text: str
    strong: bool = False
    spare: bool = False  # where there is little room, it is left out


class LegendEntry(NamedTuple):
    """A model, or those that share the last tone."""

    tone: str
    rank: int
    name: str
    cost: str
    others: tuple[tuple[str, str], ...] = ()  # models and what they cost


class StackedBars(NamedTuple):
    """Where everything stands."""

    size: str
    label: str
    width: int
    grid: tuple[GridLine, ...]
    bars: tuple[StackedBar, ...]
    words: tuple[ChartLabel, ...]
    key: tuple[LegendEntry, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


TONES: Final = 8
LEAST: Final = 0.005  # dollars: what is less than half a cent is not named
EARLIER: Final = "Four weeks earlier"


def stacked_bars(
    days: Sequence[DayCosts],
    size: str = "l",
    noun: str = "day",
    spent: Mapping[str, float] | None = None,
) -> StackedBars:
    """Bars over a scale that ends at a round number.

    Models are in the order of what was spent on them in all bars. `spent` is what the legend says
    of each, where that is of some bars only.
    """
    models = _models(days)
    highest = max((max(day.sum, day.earlier or 0.0) for day in days), default=0.0)
    step, top = _scale(highest)
    lines = (value * step for value in range(1, round(top / step) + 1))
    has_earlier = any(day.earlier is not None for day in days)
    return StackedBars(
        size=size,
        label=f"Dollars per {noun} by model",
        width=max(len(days), 1) * 10,
        grid=tuple(GridLine(round(100 - v / top * 100, 2), _dollars(v, step)) for v in lines),
        bars=tuple(_bar(at, day, list(models), top) for at, day in enumerate(days)),
        words=tuple(_words(days)),
        key=tuple(_key(models if spent is None else {name: spent.get(name, 0) for name in models})),
        head=(noun.capitalize(), *models, "Sum", *([EARLIER] if has_earlier else [])),
        rows=tuple(_bars_row(day, models, has_earlier) for day in days),
    )


def _key(models: Mapping[str, float]) -> Iterator[LegendEntry]:
    """The first by name; those that share the last tone as one entry."""
    every = list(models.items())
    named = every if len(every) <= TONES else every[: TONES - 1]
    for rank, (name, usd) in enumerate(named):
        yield LegendEntry(tone(rank), rank, name, format_usd(usd))
    if rest := every[len(named) :]:
        total = format_usd(sum(usd for _, usd in rest))
        others = tuple((name, format_usd(usd)) for name, usd in rest)
        yield LegendEntry(tone(TONES), TONES - 1, f"{len(rest)} others", total, others)


def tone(rank: int) -> str:
    """The tone of a model by its rank; the last is shared by all that follow."""
    return f"p{min(rank, TONES - 1) + 1}"


def _models(days: Iterable[DayCosts]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for day in days:
        for name, usd in day.models.items():
            sums[name] = sums.get(name, 0.0) + usd
    return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))


def _scale(most: float) -> tuple[float, float]:
    """A step of 1, 2 or 5 in some power of ten, and the multiple of it that holds the most."""
    if most < 1e-6:  # nothing that a chart could show
        return 1.0, 1.0
    power = 10.0 ** (len(str(int(most))) - 1)
    while power > most:
        power /= 10
    step = next(size * power for size in (0.2, 0.5, 1, 2, 5) if most / (size * power) <= 5)
    return step, step * -(-most // step)


def _bar(at: int, day: DayCosts, models: list[str], top: float) -> StackedBar:
    parts, y = [], 100.0
    for rank, name in enumerate(models):
        high = day.models.get(name, 0.0) / top * 100
        y -= high
        if high > 0.15:
            index = min(rank, TONES - 1)
            parts.append(BarPart(tone(rank), index, round(y, 2), round(high, 2)))
    earlier = None if not day.earlier else round(100 - day.earlier / top * 100, 2)
    label = f"{day.name}: {format_usd(day.sum)}"
    return StackedBar(label, at * 10, tuple(parts), day.first, day.last, earlier, day.is_off)


def _words(days: Sequence[DayCosts]) -> Iterator[ChartLabel]:
    wide, last = 100 / max(len(days), 1), len(days) - 1
    every = max(1, -(-len(days) // 6))
    for at, day in enumerate(days):
        if at == last or (at % every == 0 and last - at >= every):
            x, text = round((at + 0.5) * wide, 2), day.short or day.name
            yield ChartLabel(x, text, at == last, at // every % 2 == 1 and at != last)


def _dollars(value: float, step: float) -> str:
    """With the places that tell one line from the next."""
    places = 0 if step >= 1 else max(2, ceil(-log10(step)))
    return f"${value:,.{places}f}"


def _bars_row(day: DayCosts, models: Iterable[str], has_earlier: bool) -> tuple[str, ...]:
    parts = (format_usd(day.models.get(name, 0.0)) for name in models)
    earlier = [format_usd(day.earlier or 0.0)] if has_earlier else []
    return (day.name, *parts, format_usd(day.sum), *earlier)


DAYS: Final = "Mon Tue Wed Thu Fri Sat Sun".split()


class Cell(NamedTuple):
    level: int
    x: float
    y: int
    title: str
    day: str  # on which most of it was spent; "": nothing was


class Heatmap(NamedTuple):
    label: str
    days: tuple[str, ...]
    cells: tuple[Cell, ...]
    hours: tuple[tuple[float, str], ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def heatmap(spent: Mapping[tuple[int, int], HourSpend]) -> Heatmap:
    """`spent` is by weekday (0 is Monday) and hour; levels relative to the most expensive hour."""
    most = max((one.usd for one in spent.values()), default=0.0)
    return Heatmap(
        label="Dollars by weekday and hour",
        days=tuple(DAYS),
        cells=tuple(_cells(spent, most)),
        hours=tuple((round(hour / 0.24, 2), f"{hour:02}") for hour in range(0, 24, 3)),
        head=("Day", *(f"{hour:02}" for hour in range(24))),
        rows=tuple(
            (name, *(f"{spent.get((day, hour), _NOTHING).usd:.2f}" for hour in range(24)))
            for day, name in enumerate(DAYS)
        ),
    )


_NOTHING: Final = HourSpend(0.0)


def _cells(spent: Mapping[tuple[int, int], HourSpend], most: float) -> Iterator[Cell]:
    for day, name in enumerate(DAYS):
        for hour in range(24):
            usd, on = spent.get((day, hour), _NOTHING)
            level = min(5, 1 + int(usd / most * 5)) if usd > 0 else 0
            on = on if usd > 0 else ""
            leads = f"; opens {day_name(on)}, when this hour cost the most" if on else ""
            title = f"{name} {hour:02}:00 {format_usd(usd)}{leads}"
            yield Cell(level, round(hour / 0.24, 2), day * 18, title, on)


class Amount(NamedTuple):
    """One thing and what it comes to; None has no known price."""

    name: str
    usd: float | None
    note: str = ""
    leads: str = ""  # to which page with its evidence: project, tool, model, search
    to: str = ""  # and to what on it


class RankedRow(NamedTuple):
    name: str
    percent: float
    value: str
    note: str = ""
    leads: str = ""
    to: str = ""


class Ranked(NamedTuple):
    """The first rows, and the others under one line; bars are measured by the largest row."""

    caption: str
    rows: tuple[RankedRow, ...]
    others: tuple[RankedRow, ...] = ()
    others_name: str = ""
    others_value: str = ""


def ranked(amounts: Iterable[Amount], caption: str, limit: int = 8) -> Ranked:
    """The largest first; those beyond the limit are folded away with their sum."""
    order = sorted(amounts, key=lambda one: -(one.usd or 0.0))
    most = max((one.usd or 0.0 for one in order), default=0.0) or 1.0
    rows = tuple(
        RankedRow(one.name, round((one.usd or 0.0) / most * 100, 1), format_usd(one.usd), *one[2:])
        for one in order
    )
    if len(rows) <= limit + 1:
        return Ranked(caption, rows)
    rest = order[limit:]
    total = format_usd(sum(one.usd or 0.0 for one in rest))
    return Ranked(caption, rows[:limit], rows[limit:], f"{len(rest)} others", total)


class Forecast(NamedTuple):
    """The running sum of a month, and where it may end; a picture of 1000 by 100."""

    month: str
    end: str
    low: str
    high: str
    spent: str
    days: int
    path: str
    fan: str
    line: str


def forecast(month: str, days: int, spent: Sequence[float], weeks: Sequence[float]) -> Forecast:
    """Month to date / days gone * days; the band is as if the rest cost like one of the weeks.

    `spent` has each day of the month so far, `weeks` the sums of the last four weeks.
    """
    gone, total = len(spent), sum(spent)
    end = total / gone * days
    rates = [week / 7 * (days - gone) + total for week in weeks]
    low, high = min((end, *rates)), max((end, *rates))
    top = high or 1.0
    sums = [sum(spent[: n + 1]) for n in range(gone)]
    points = [(round((n + 1) / days * 1000), _depth(usd, top)) for n, usd in enumerate(sums)]
    x, y = points[-1]
    return Forecast(
        month=month,
        end=_round(end),
        low=_round(low),
        high=_round(high),
        spent=_round(total),
        days=gone,
        path="M0 100" + "".join(f"L{px} {py}" for px, py in points),
        fan=f"M{x} {y}L1000 {_depth(high, top)}L1000 {_depth(low, top)}z",
        line=f"M{x} {y}L1000 {_depth(end, top)}",
    )


def _depth(usd: float, top: float) -> float:
    return round(100 - usd / top * 96, 1)


def _round(usd: float) -> str:
    return f"${usd:,.0f}" if usd >= 10 else format_usd(usd)
