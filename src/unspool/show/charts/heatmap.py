"""Dollars by weekday and hour -> a map of when the money goes."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from unspool.show.money import format_usd

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
    """`spent` is by weekday (0 is Monday) and hour; five levels, by part of the dearest hour."""
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
