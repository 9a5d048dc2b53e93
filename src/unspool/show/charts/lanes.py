"""Strips of several sessions -> a day: one lane a session, from midnight to now."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from unspool.model.insights import ActivityStrip, TimeSpan
from unspool.show.times import duration


class LaneSession(NamedTuple):
    """One session of the day, and what the lane says of it."""

    title: str
    place: str
    project_id: str
    session_id: str
    cost: str
    strip: ActivityStrip


class Lane(NamedTuple):
    title: str
    place: str
    project_id: str
    session_id: str
    cost: str
    thread: str
    paths: tuple[tuple[str, str], ...]


class Lanes(NamedTuple):
    """Where everything stands, and the same as a table."""

    grid: str
    hours: tuple[tuple[float, str], ...]
    now: str
    waited: str
    lanes: tuple[Lane, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class _Day(NamedTuple):
    start: int
    end: int

    def x(self, at: int) -> float:
        return min(max((at - self.start) / (self.end - self.start), 0.0), 1.0) * 1000

    def clipped(self, spans: Iterable[TimeSpan]) -> Iterator[TimeSpan]:
        for a, b in spans:
            if b >= self.start and a <= self.end:
                yield TimeSpan(max(a, self.start), min(b, self.end))


_HEAD = ("Session", "Project", "Working", "Waiting", "Failures", "Cost")
_MINUTE, _HOUR = 60_000, 3_600_000


class _Drawn(NamedTuple):
    """What one session did on a day."""

    thread: str
    paths: tuple[tuple[str, str], ...]
    worked: int
    waited: int
    failed: int


class LaneCache:
    """Lanes as they were last drawn: a session's is drawn again when its strip is another."""

    def __init__(self) -> None:
        nothing: dict[tuple[str, str], tuple[ActivityStrip, _Drawn | None]] = {}
        self._last = _Day(0, 0), nothing

    def draw(
        self, sessions: Sequence[LaneSession], day: _Day
    ) -> list[tuple[LaneSession, _Drawn | None]]:
        """Each session with its lane, None if it did nothing that day."""
        before, known = self._last
        drawn = {}
        for one in sessions:
            key = one.project_id, one.session_id
            strip, lane = known.get(key, (None, None)) if before == day else (None, None)
            drawn[key] = one.strip, lane if strip is one.strip else _drawn(one.strip, day)
        self._last = day, drawn
        return [(one, drawn[one.project_id, one.session_id][1]) for one in sessions]


def lanes(
    sessions: Sequence[LaneSession],
    midnight: int,
    now: int,
    zone: tzinfo | None = None,
    cache: LaneCache | None = None,
) -> Lanes | None:
    """Lanes of those that did anything today, as they were given; None where nobody did."""
    end = -(-now // _MINUTE) * _MINUTE  # what was drawn is good for a minute
    day = _Day(midnight, max(end, midnight + _HOUR))
    every = (cache or LaneCache()).draw(sessions, day)
    active = [(one, drawn) for one, drawn in every if drawn is not None]
    if not active:
        return None
    apart = max(1, -(-(day.end - day.start) // _HOUR // 8))
    hours = range(0, (day.end - day.start) // _HOUR + 1, apart)
    return Lanes(
        grid="".join(f"M{_n(day.x(midnight + h * _HOUR))} -6V18" for h in hours),
        hours=tuple((round(day.x(midnight + h * _HOUR) / 10, 2), f"{h:02}") for h in hours),
        now=f"{datetime.fromtimestamp(now / 1_000, UTC).astimezone(zone):%H:%M}",
        waited=_took(sum(drawn.waited for _, drawn in active)),
        lanes=tuple(Lane(*one[:5], drawn.thread, drawn.paths) for one, drawn in active),
        head=_HEAD,
        rows=tuple(_row(one, drawn) for one, drawn in active),
    )


def _drawn(strip: ActivityStrip, day: _Day) -> _Drawn | None:
    turns, waits = list(day.clipped(strip.turns)), list(day.clipped(strip.waits))
    if not turns:
        return None
    failed = [call for call in strip.calls if call.failed and call.start >= day.start]
    paths = {
        "turn": "".join(_box(day, span, 3, 6) for span in _joined(turns, day)),
        "wait": "".join(_box(day, span, 2, 8) for span in _joined(waits, day)),
        "err": "".join(f"M{_n(day.x(call.start))} 1h2v10h-2z" for call in failed[:200]),
    }
    first, last = turns[0].start, max(span.end for span in turns)
    return _Drawn(
        thread=f"M{_n(day.x(first))} 6.5H{_n(day.x(last))}",
        paths=tuple((name, path) for name, path in paths.items() if path),
        worked=sum(b - a for a, b in turns),
        waited=sum(b - a for a, b in waits),
        failed=len(failed),
    )


def _joined(spans: Iterable[TimeSpan], day: _Day) -> Iterator[TimeSpan]:
    """Intervals closer than a pixel are joined, so that few are drawn."""
    near = (day.end - day.start) // 1_000
    last: TimeSpan | None = None
    for one in sorted(spans):
        if last is not None and one.start - last.end >= near:
            yield last
            last = None
        last = TimeSpan(last.start, max(last.end, one.end)) if last is not None else one
    if last is not None:
        yield last


def _row(one: LaneSession, drawn: _Drawn) -> tuple[str, ...]:
    took = _took(drawn.worked), _took(drawn.waited)
    return one.title, one.place, *took, f"{drawn.failed}", one.cost


def _took(total: int) -> str:
    return duration(total) if total else "0"


def _box(day: _Day, span: TimeSpan, y: int, height: int) -> str:
    a, b = day.x(span.start), day.x(span.end)
    wide = _n(max(1.5, b - a))
    return f"M{_n(a)} {y}h{wide}v{height}h-{wide}z"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
