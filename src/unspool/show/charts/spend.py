"""Charts of the spend page: stacked bars by day, ranked bars, a heatmap by hour."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, log10
from typing import Final, NamedTuple

from unspool.show.numbers import format_usd


class DayCosts(NamedTuple):
    """One bar: its name, and dollars by model."""

    name: str
    models: dict[str, float]

    @property
    def sum(self) -> float:
        return sum(self.models.values())


class StackedBar(NamedTuple):
    name: str
    x: float
    width: float
    y: float
    height: float
    title: str


class GridLine(NamedTuple):
    y: float
    text: str


class ChartLabel(NamedTuple):
    x: float
    y: float
    text: str
    strong: bool = False
    anchor: str = "middle"


class StackedBars(NamedTuple):
    """Where everything stands."""

    size: str
    label: str
    floor: int
    grid: tuple[GridLine, ...]
    bars: tuple[StackedBar, ...]
    words: tuple[ChartLabel, ...]
    key: tuple[tuple[str, str], ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


_HEIGHTS: Final = {"s": 128, "m": 208, "l": 256}
_NAMED: Final = 6
_SHADES: Final = 3  # models beyond the third share the lightest


def stacked_bars(days: Sequence[DayCosts], size: str = "l", noun: str = "day") -> StackedBars:
    """Bars over a scale that ends at a round number; the highest and the last say their sum."""
    models = _models(days)
    floor = _HEIGHTS[size] - 40
    step, top = _scale(max((day.sum for day in days), default=0.0))
    lines = (value * step for value in range(1, round(top / step) + 1))
    return StackedBars(
        size=size,
        label=f"dollars per {noun}, stacked by model",
        floor=floor,
        grid=tuple(GridLine(round(floor - v / top * floor), _dollars(v, step)) for v in lines),
        bars=tuple(_bars(days, list(models), top, floor)),
        words=tuple(_words(days, top, floor)),
        key=tuple(_key(models)),
        head=(noun.capitalize(), *models, "Sum"),
        rows=tuple(_bars_row(day, models) for day in days),
    )


def _key(models: dict[str, float]) -> Iterator[tuple[str, str]]:
    """The most expensive models by name; the rest as one entry."""
    ranked_models = list(models.items())
    top = ranked_models if len(ranked_models) <= _NAMED + 1 else ranked_models[:_NAMED]
    for rank, (name, usd) in enumerate(top):
        yield shade(rank), f"{name} {format_usd(usd)}"
    if rest := ranked_models[len(top) :]:
        sum_ = format_usd(sum(usd for _, usd in rest))
        yield shade(len(top)), f"{len(rest)} others {sum_}"


def shade(rank: int) -> str:
    """Models are shades of grey: the most expensive is the darkest."""
    return f"m{min(rank, _SHADES - 1) + 1}"


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


def _bars(
    days: Sequence[DayCosts], models: list[str], top: float, floor: int
) -> Iterator[StackedBar]:
    wide = 100 / max(len(days), 1)
    for at, day in enumerate(days):
        y = float(floor)
        for rank, name in enumerate(models):
            high = day.models.get(name, 0.0) / top * floor
            y -= high
            if high > 0.4:
                title = f"{day.name}, {name}: {format_usd(day.models[name])}"
                x, width = round((at + 0.14) * wide, 2), round(wide * 0.72, 2)
                yield StackedBar(
                    shade(rank), x, width, round(y, 1), round(max(0.5, high - 1), 1), title
                )


def _words(days: Sequence[DayCosts], top: float, floor: int) -> Iterator[ChartLabel]:
    wide, last = 100 / max(len(days), 1), len(days) - 1
    every = max(1, -(-len(days) // 8))
    highest = max(range(len(days)), key=lambda at: days[at].sum, default=-1)
    for at, day in enumerate(days):
        x, anchor = (100.0, "end") if at == last else (round((at + 0.5) * wide, 2), "middle")
        if at == last or (at % every == 0 and last - at >= every):
            yield ChartLabel(x, floor + 16, day.name, at == last, anchor)
        if at in (highest, last) and day.sum:
            y = round(floor - day.sum / top * floor - 7)
            yield ChartLabel(x, y, format_usd(day.sum), True, anchor)


def _dollars(value: float, step: float) -> str:
    """With the places that tell one line from the next."""
    places = 0 if step >= 1 else max(2, ceil(-log10(step)))
    return f"${value:,.{places}f}"


def _bars_row(day: DayCosts, models: Iterable[str]) -> tuple[str, ...]:
    parts = (format_usd(day.models.get(name, 0.0)) for name in models)
    return (day.name, *parts, format_usd(day.sum))


DAYS: Final = "Mon Tue Wed Thu Fri Sat Sun".split()


class Cell(NamedTuple):
    level: int
    x: float
    y: int
    title: str


class Heatmap(NamedTuple):
    label: str
    days: tuple[str, ...]
    cells: tuple[Cell, ...]
    hours: tuple[tuple[float, str], ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def heatmap(spent: Mapping[tuple[int, int], float]) -> Heatmap:
    """`spent` is by weekday (0 is Monday) and hour; levels relative to the most expensive hour."""
    most = max(spent.values(), default=0.0)
    return Heatmap(
        label="dollars by weekday and hour",
        days=tuple(DAYS),
        cells=tuple(_cells(spent, most)),
        hours=tuple((round(hour / 0.24, 2), f"{hour:02}") for hour in range(0, 24, 3)),
        head=("Day", *(f"{hour:02}" for hour in range(24))),
        rows=tuple(
            (name, *(f"{spent.get((day, hour), 0.0):.2f}" for hour in range(24)))
            for day, name in enumerate(DAYS)
        ),
    )


def _cells(spent: Mapping[tuple[int, int], float], most: float) -> Iterator[Cell]:
    for day, name in enumerate(DAYS):
        for hour in range(24):
            usd = spent.get((day, hour), 0.0)
            level = min(5, 1 + int(usd / most * 5)) if usd > 0 else 0
            title = f"{name} {hour:02}:00 {format_usd(usd)}"
            yield Cell(level, round(hour / 0.24, 2), day * 18, title)


class Amount(NamedTuple):
    """One thing and what it comes to; None has no known price."""

    name: str
    usd: float | None
    project: str = ""
    note: str = ""


class RankedRow(NamedTuple):
    name: str
    percent: float
    value: str
    project: str = ""
    note: str = ""


class Ranked(NamedTuple):
    caption: str
    rows: tuple[RankedRow, ...]


def ranked(amounts: Iterable[Amount], caption: str, limit: int = 8) -> Ranked:
    """The first few; those beyond the limit are one row, so that the sum stays whole."""
    order = sorted(amounts, key=lambda one: -(one.usd or 0.0))
    rest = order[limit:]
    if len(rest) > 1:
        more = Amount(f"{len(rest)} others", sum(one.usd or 0.0 for one in rest))
        order = [*order[:limit], more]
    most = max((one.usd or 0.0 for one in order), default=0.0) or 1.0
    rows = (
        RankedRow(
            o.name, round((o.usd or 0.0) / most * 100, 1), format_usd(o.usd), o.project, o.note
        )
        for o in order
    )
    return Ranked(caption, tuple(rows))
