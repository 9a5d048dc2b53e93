"""A session's events on a time axis from 0 to 1, from its document or the index."""

from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import Final, NamedTuple

from msgspec import UNSET

from unspool.model.document import Chunk, SessionDocument, Step, Subagent
from unspool.model.insights import ActivityStrip
from unspool.show import times


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


class SpoolData(NamedTuple):
    """A whole session, time from 0 to 1."""

    turns: tuple[Interval, ...] = ()
    thinking: tuple[Interval, ...] = ()
    tools: tuple[CallMark, ...] = ()
    agents: tuple[AgentInterval, ...] = ()
    waits: tuple[Interval, ...] = ()
    cuts: tuple[float, ...] = ()


_LANES: Final = 4


class _Scale(NamedTuple):
    start: int
    length: int

    def at(self, iso: str | None) -> float | None:
        moment = _ms(iso)
        return None if moment is None else self.part(moment)

    def part(self, moment: int) -> float:
        share = (moment - self.start) / self.length
        return share if 0.0 <= share <= 1.0 else float(share > 0.0)


def spool_data(document: SessionDocument) -> SpoolData:
    """Drawn from the chunks, calls and agents that have a time."""
    scale = _scale(document)
    if scale is None:
        return SpoolData()
    steps = [step for chunk in document.chunks for step in _steps(chunk)]
    return SpoolData(
        turns=tuple(_turns(document, scale)),
        thinking=tuple(_thinking(steps, scale)),
        tools=tuple(_tools(document, scale)),
        agents=_in_lanes(_stretches(document.subagents, scale)),
        waits=tuple(_waits(document, scale)),
        cuts=tuple(_cuts(document.chunks, scale)),
    )


def strip_data(strip: ActivityStrip, until: int | None = None) -> SpoolData:
    """The same from what the index knows, up to its last moment or a later one."""
    ends = [one.end for group in (strip.turns, strip.calls, strip.agents) for one in group]
    starts = [one.start for group in (strip.turns, strip.calls) for one in group]
    if not starts:
        return SpoolData()
    start = min(starts)
    scale = _Scale(start, max(max(ends) - start, (until or start) - start, 1))
    return SpoolData(
        turns=tuple(Interval(scale.part(a), scale.part(b)) for a, b in strip.turns),
        tools=tuple(
            CallMark(scale.part(one.start), (one.end - one.start) / scale.length, one.failed)
            for one in strip.calls
        ),
        agents=_in_lanes(Interval(scale.part(a), scale.part(b)) for a, b in strip.agents),
        waits=tuple(Interval(scale.part(a), scale.part(b)) for a, b in strip.waits),
        cuts=tuple(map(scale.part, strip.cuts)),
    )


def _scale(document: SessionDocument) -> _Scale | None:
    timestamps = [
        one for chunk in document.chunks for one in (chunk.start_time, chunk.end_time) if one
    ]
    # They are all written alike: the order of the words is the order of time.
    start, end = _ms(min(timestamps, default=None)), _ms(max(timestamps, default=None))
    return None if start is None or end is None else _Scale(start, max(end - start, 1))


def _steps(chunk: Chunk) -> tuple[Step, ...]:
    return () if chunk.steps is UNSET else chunk.steps


def _turns(document: SessionDocument, scale: _Scale) -> Iterator[Interval]:
    """A turn begins with its prompt and ends with its last answer."""
    first: float | None = None
    last = 0.0
    for chunk in document.chunks:
        start, end = scale.at(chunk.start_time), scale.at(chunk.end_time)
        if chunk.type == "user" and start is not None:
            if first is not None:
                yield Interval(first, max(first, last))
            first = last = start
        last = max(last, end or 0.0)
        first = start if first is None else first
    if first is not None:
        yield Interval(first, max(first, last))


def _thinking(steps: Iterable[Step], scale: _Scale) -> Iterator[Interval]:
    for step in steps:
        start = _ms(step.start_time) if step.type == "thinking" else None
        if start is not None:
            yield Interval(scale.part(start), scale.part(start + step.duration_ms))


def _tools(document: SessionDocument, scale: _Scale) -> Iterator[CallMark]:
    for call in document.tool_executions:
        start = scale.at(call.start_time)
        if start is not None:
            yield CallMark(start, (call.duration_ms or 0) / scale.length, call.state == "error")


def _waits(document: SessionDocument, scale: _Scale) -> Iterator[Interval]:
    for call in document.tool_executions:
        waited = 0 if call.hook is UNSET else call.hook.waited_ms
        start = _ms(call.start_time) if waited else None
        if waited and start is not None:
            yield Interval(scale.part(start), scale.part(start + waited))


def _cuts(chunks: Iterable[Chunk], scale: _Scale) -> Iterator[float]:
    at = (scale.at(chunk.start_time) for chunk in chunks if chunk.type == "compact")
    return (one for one in at if one is not None)


def _stretches(agents: Iterable[Subagent], scale: _Scale) -> list[Interval]:
    intervals = []
    for agent in agents:
        start = scale.at(agent.start_time)
        end = scale.at(agent.end_time)
        if start is not None:
            intervals.append(Interval(start, max(start, 1.0 if end is None else end)))
    return sorted(intervals)


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
