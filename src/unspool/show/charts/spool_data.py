"""A session's events on a time axis from 0 to 1, from its document and steps, or the index."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from typing import Final, NamedTuple

from msgspec import UNSET

from unspool.model.document import Chunk, SessionDocument, Step, Subagent, ToolExecution
from unspool.model.insights import ActivityStrip
from unspool.model.steps import SessionStep, StepCost
from unspool.show import times
from unspool.show.charts.time_axis import TimeAxis, time_axis


class Interval(NamedTuple):
    """From when to when, both between 0 and 1."""

    start: float
    end: float


class CallMark(NamedTuple):
    """One call: when, how long, whether it failed."""

    start: float
    length: float
    failed: bool = False


class AgentInterval(NamedTuple):
    """An agent at work, and the lane it has to itself."""

    start: float
    end: float
    lane: int = 0


class CostMark(NamedTuple):
    """What a step cost by cause, where it began."""

    start: float
    cost: StepCost


class SpoolData(NamedTuple):
    """A whole session, time from 0 to 1."""

    turns: tuple[Interval, ...] = ()
    thinking: tuple[Interval, ...] = ()
    tools: tuple[CallMark, ...] = ()
    agents: tuple[AgentInterval, ...] = ()
    waits: tuple[Interval, ...] = ()
    cuts: tuple[float, ...] = ()
    costs: tuple[CostMark, ...] = ()
    folds: tuple[Interval, ...] = ()  # pauses that take less room than they lasted


_LANES: Final = 4


class _Linear(NamedTuple):
    """An axis without folds."""

    start: int
    length: int

    def at(self, moment: int) -> float:
        share = (moment - self.start) / self.length
        return share if 0.0 <= share <= 1.0 else float(share > 0.0)


def session_axis(document: SessionDocument, steps: Sequence[SessionStep]) -> TimeAxis | None:
    """The axis of a session: when its steps and agents ran, and when it waited for a person."""
    ran = [(step.start, step.end or step.start) for step in steps if step.start is not None]
    for chunk in () if steps else document.chunks:
        start, end = _ms(chunk.start_time), _ms(chunk.end_time)
        ran += [] if start is None else [(start, start if end is None else end)]
    ran += [one for agent in document.subagents if (one := _span(agent)) is not None]
    waits = (
        (start, start + waited)
        for call in document.tool_executions
        if (waited := waited_ms(call)) and (start := _ms(call.start_time)) is not None
    )
    return time_axis(ran, waits)


def spool_data(
    document: SessionDocument, steps: Sequence[SessionStep], axis: TimeAxis | None
) -> SpoolData:
    """Drawn from the chunks, steps, calls and agents that have a time."""
    if axis is None:
        return SpoolData()
    inner = [step for chunk in document.chunks for step in _steps(chunk)]
    return SpoolData(
        turns=tuple(_turns(document, axis)),
        thinking=tuple(_thinking(inner, axis)),
        tools=tuple(_tools(document, axis)),
        agents=_in_lanes(_stretches(document.subagents, axis)),
        waits=tuple(_waits(document, axis)),
        cuts=tuple(_cuts(document.chunks, axis)),
        costs=tuple(
            CostMark(axis.at(step.start), step.cost)
            for step in steps
            if step.start is not None and step.pico
        ),
        folds=tuple(Interval(one.left, one.right) for one in axis.segments if one.fold),
    )


def strip_data(strip: ActivityStrip, until: int | None = None) -> SpoolData:
    """The same from what the index knows, up to its last moment or a later one."""
    scale = _strip_scale(strip, until)
    if scale is None:
        return SpoolData()
    return SpoolData(
        turns=tuple(Interval(scale.at(a), scale.at(b)) for a, b in strip.turns),
        tools=tuple(
            CallMark(scale.at(one.start), (one.end - one.start) / scale.length, one.failed)
            for one in strip.calls
        ),
        agents=_in_lanes(Interval(scale.at(a), scale.at(b)) for a, b in strip.agents),
        waits=tuple(Interval(scale.at(a), scale.at(b)) for a, b in strip.waits),
        cuts=tuple(map(scale.at, strip.cuts)),
    )


def time_shares(strip: ActivityStrip, moments: Iterable[int]) -> tuple[float, ...]:
    """Where some moments stand on the axis of `strip_data`."""
    scale = _strip_scale(strip)
    return () if scale is None else tuple(map(scale.at, moments))


def _strip_scale(strip: ActivityStrip, until: int | None = None) -> _Linear | None:
    ends = [one.end for group in (strip.turns, strip.calls, strip.agents) for one in group]
    starts = [one.start for group in (strip.turns, strip.calls) for one in group]
    if not starts:
        return None
    start = min(starts)
    return _Linear(start, max(max(ends) - start, (until or start) - start, 1))


def _steps(chunk: Chunk) -> tuple[Step, ...]:
    return () if chunk.steps is UNSET else chunk.steps


def _turns(document: SessionDocument, axis: TimeAxis) -> Iterator[Interval]:
    """A turn begins with its prompt and ends with its last answer."""
    first: float | None = None
    last = 0.0
    for chunk in document.chunks:
        start, end = (_place(axis, iso) for iso in (chunk.start_time, chunk.end_time))
        if chunk.type == "user" and start is not None:
            if first is not None:
                yield Interval(first, max(first, last))
            first = last = start
        last = max(last, end or 0.0)
        first = start if first is None else first
    if first is not None:
        yield Interval(first, max(first, last))


def _thinking(steps: Iterable[Step], axis: TimeAxis) -> Iterator[Interval]:
    for step in steps:
        start = _ms(step.start_time) if step.type == "thinking" else None
        if start is not None:
            yield Interval(axis.at(start), axis.at(start + step.duration_ms))


def _tools(document: SessionDocument, axis: TimeAxis) -> Iterator[CallMark]:
    for call in document.tool_executions:
        start = _ms(call.start_time)
        if start is not None:
            x = axis.at(start)
            yield CallMark(x, axis.at(start + (call.duration_ms or 0)) - x, call.state == "error")


def _waits(document: SessionDocument, axis: TimeAxis) -> Iterator[Interval]:
    for call in document.tool_executions:
        start = _ms(call.start_time)
        if start is not None and (waited := waited_ms(call)):
            yield Interval(axis.at(start), axis.at(start + waited))


def waited_ms(call: ToolExecution) -> int:
    """How long a call waited for a person."""
    return 0 if call.hook is UNSET else call.hook.waited_ms or 0


def _cuts(chunks: Iterable[Chunk], axis: TimeAxis) -> Iterator[float]:
    at = (_place(axis, chunk.start_time) for chunk in chunks if chunk.type == "compact")
    return (one for one in at if one is not None)


def _stretches(agents: Iterable[Subagent], axis: TimeAxis) -> list[Interval]:
    spans = ((agent.end_time, span) for agent in agents if (span := _span(agent)) is not None)
    return sorted(
        Interval(axis.at(start), axis.at(end) if told else 1.0) for told, (start, end) in spans
    )


def _span(agent: Subagent) -> tuple[int, int] | None:
    """When an agent ran, as far as that is known."""
    start, end = _ms(agent.start_time), _ms(agent.end_time)
    return None if start is None else (start, start if end is None else max(start, end))


def _place(axis: TimeAxis, iso: str | None) -> float | None:
    moment = _ms(iso)
    return None if moment is None else axis.at(moment)


def _in_lanes(stretches: Iterable[Interval]) -> tuple[AgentInterval, ...]:
    """Each in the first lane that is free; those beyond the last lane share it."""
    free = [0.0] * _LANES
    marks = []
    for start, end in stretches:
        lane = next((n for n, until in enumerate(free) if until <= start), _LANES - 1)
        free[lane] = max(free[lane], end)
        marks.append(AgentInterval(start, end, lane))
    return tuple(marks)


def _ms(iso: str | None) -> int | None:
    at = times.moment(iso, UTC)
    return int(at.timestamp() * 1_000) if at else None
