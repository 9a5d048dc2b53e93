"""The steps behind a spool as columns of JSON: small for ten thousand, read once by a script."""

from collections.abc import Iterable
from datetime import tzinfo
from typing import Final

import msgspec

from unspool.model.steps import SessionStep, StepCost
from unspool.show.charts.spool_data import waited_ms
from unspool.show.html.cost_panel import step_label, step_place
from unspool.show.html.session_page import SessionOverview
from unspool.show.labels import COST_CAUSES
from unspool.show.times import local_time

_WIDTH: Final = 10_000  # places are whole numbers of this
_MICRO: Final = 10**6


def step_columns(overview: SessionOverview, zone: tzinfo | None = None) -> bytes:
    """Places, labels, times and costs; costs are microdollars by cause, times milliseconds."""
    steps, axis, exits = overview.steps, overview.axis, overview.exits
    waits = {call.tool_use_id for call in overview.document.tool_executions if waited_ms(call)}
    labels: dict[str, int] = {}
    named = [labels.setdefault(step_label(step), len(labels)) for step in steps]
    starts = [step.start or 0 for step in steps]
    ends = [max(step.end or 0, step.start or 0) for step in steps]
    return msgspec.json.encode(
        {
            "id": [step_place(step) for step in steps],
            "label": named,
            "labels": list(labels),
            "turn": [step.turn or 0 for step in steps],
            "x": [round(axis.at(at) * _WIDTH) if axis else 0 for at in starts],
            "end": [round(axis.at(at) * _WIDTH) if axis else 0 for at in ends],
            "at": starts,
            "took": [end - start for start, end in zip(starts, ends, strict=True)],
            "cost": [_micro(step) for step in steps],
            "causes": [cause.term for cause in COST_CAUSES.values()],
            "opens": _where(step.kind == "prompt" for step in steps),
            "failed": _where(step.failed for step in steps),
            "exits": [
                (place, exits[step.id]) for place, step in enumerate(steps) if step.id in exits
            ],
            "waits": _where(step.id in waits for step in steps),
            "folds": [
                (round(one.left * _WIDTH), round(one.right * _WIDTH), one.end - one.start)
                for one in (axis.segments if axis else ())
                if one.fold
            ],
            "offset": _offset(starts, zone),
        }
    )


def _micro(step: SessionStep) -> list[int]:
    cost: StepCost = step.cost
    return [round(pico / _MICRO) for pico in cost] if step.pico else []


def _where(flags: Iterable[bool]) -> list[int]:
    return [place for place, flag in enumerate(flags) if flag]


def _offset(starts: list[int], zone: tzinfo | None) -> int:
    """Minutes that the reader's clock is ahead of UTC when the session begins."""
    first = next((at for at in starts if at), 0)
    offset = local_time(first, zone).utcoffset()
    return int(offset.total_seconds() // 60) if offset else 0
