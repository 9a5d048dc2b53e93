"""Steps with their times -> a waterfall: one line a step, time to the right."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final, NamedTuple

from unspool.show.charts.time_axis import Tick, TimeAxis, time_axis
from unspool.show.times import clock_at, duration

# Of the width, for a word below the axis, which stands beside names and durations; on a phone.
_ROOM: Final = 0.15
_NARROW: Final = 0.5


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
    when: str = ""


class WaterfallChart(NamedTuple):
    label: str
    bars: tuple[WaterfallBar, ...]
    ticks: tuple[Tick, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def waterfall(
    steps: Sequence[WaterfallStep], label: str = "steps over time", zone: tzinfo | None = None
) -> WaterfallChart:
    """Every step at its place on an axis that folds pauses; an answer may have some inside."""
    points = ((at, at) for step in steps if step.kind == "chunk" for at in (step.start, step.end))
    ran = ((step.start, step.end) for step in steps if step.kind != "chunk")
    axis = time_axis([*ran, *points])
    first = min((step.start for step in steps), default=0)
    return WaterfallChart(
        label=label,
        bars=tuple(_bar(step, axis, zone) for step in steps) if axis else (),
        ticks=tuple(axis.ticks(zone, _ROOM, _NARROW, 1.0)) if axis else (),
        head=("Step", "Start", "Duration"),
        rows=tuple(
            (step.text, duration(step.start - first), duration(step.end - step.start))
            for step in steps
        ),
    )


def _bar(step: WaterfallStep, axis: TimeAxis, zone: tzinfo | None) -> WaterfallBar:
    x = axis.at(step.start) * 100
    width = min(max(axis.at(step.end) * 100 - x, 0.6), 100.6 - x)
    took = duration(step.end - step.start)
    when = f"{clock_at(step.start, zone)} – {clock_at(step.end, zone)}, {took}"
    return WaterfallBar(
        step.text, min(step.depth, 4), step.kind, round(x, 2), round(width, 2), took, when
    )
