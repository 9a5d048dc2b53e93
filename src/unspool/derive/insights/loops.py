"""Calls -> loops: one tool that failed several times running."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final

from unspool.model.insights import CallFact, Loop

LEAST: Final = 3


def loops(calls: Iterable[CallFact], costs: Mapping[str, int]) -> list[Loop]:
    """Calls in the order of session, agent and time; `costs` are by call. The longest first."""
    made = []
    for (_, _, name, failed), run in groupby(calls, key=_alike):
        group = list(run)
        if failed and len(group) >= LEAST:
            made.append(_loop(name, group, costs))
    return sorted(made, key=lambda one: (-one.times, -one.start))


def _alike(call: CallFact) -> tuple[int, str, str, bool]:
    return call.session, call.agent, call.name, call.state == "error"


def _loop(name: str, calls: list[CallFact], costs: Mapping[str, int]) -> Loop:
    first, last = calls[0], calls[-1]
    return Loop(
        name=name or "?",
        times=len(calls),
        project_id=first.project_id,
        session_id=first.session_id,
        start=first.start,
        end=last.start + (last.duration_ms or 0),
        pico=sum(costs.get(call.tool_use_id, 0) for call in calls),
    )
