"""Steps with their times -> a waterfall: one line a step, time to the right."""

from collections.abc import Sequence
from typing import NamedTuple

from unspool.show.times import duration


class WaterfallStep(NamedTuple):
    """From when to when, in milliseconds; `kind` is one of the spool's."""

    text: str
    start: int
    end: int
    kind: str = "tool"
    depth: int = 0


class WaterfallBar(NamedTuple):
    text: str
    depth: int
    kind: str
    x: float
    width: float
    took: str


class WaterfallChart(NamedTuple):
    label: str
    bars: tuple[WaterfallBar, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def waterfall(steps: Sequence[WaterfallStep], label: str = "steps over time") -> WaterfallChart:
    """Every step at its place between the first start and the last end."""
    first = min((step.start for step in steps), default=0)
    whole = max(max((step.end for step in steps), default=0) - first, 1)
    return WaterfallChart(
        label=label,
        bars=tuple(_bar(step, first, whole) for step in steps),
        head=("Step", "Start", "Duration"),
        rows=tuple(
            (step.text, duration(step.start - first), duration(step.end - step.start))
            for step in steps
        ),
    )


def _bar(step: WaterfallStep, first: int, whole: int) -> WaterfallBar:
    x = (step.start - first) / whole * 100
    width = min(max((step.end - step.start) / whole * 100, 0.6), 100.6 - x)
    took = duration(step.end - step.start)
    return WaterfallBar(
        step.text, min(step.depth, 4), step.kind, round(x, 2), round(width, 2), took
    )
