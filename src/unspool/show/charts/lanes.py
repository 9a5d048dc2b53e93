"""Strips of several sessions -> a day: one lane a session, from the first hour of work to now."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import islice
from typing import NamedTuple

from unspool.model.insights import ActivityStrip, TimeSpan
from unspool.show.times import duration


class LaneSession(NamedTuple):
    """One session of the day, and what the lane says of it."""

    id: str  # of its row
    title: str
    place: str
    project_id: str
    session_id: str
    cost: str
    is_at_rest: bool
    strip: ActivityStrip
    waits_since: int | None = None  # still


class Lane(NamedTuple):
    """What one session did today; without a thread it did nothing."""

    id: str
    title: str
    place: str
    project_id: str
    session_id: str
    cost: str
    is_at_rest: bool
    thread: str
    paths: tuple[tuple[str, str], ...]


class Lanes(NamedTuple):
    """Where everything stands, and the same as a table."""

    start: str  # the hour at which the axis begins
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
    now: int

    def x(self, at: int) -> float:
        return min(max((at - self.start) / (self.end - self.start), 0.0), 1.0) * 1000

    def clipped(self, spans: Iterable[TimeSpan]) -> Iterator[TimeSpan]:
        for a, b in spans:
            if b >= self.start and a <= self.end:
                yield TimeSpan(max(a, self.start), min(b, self.end))


_HEAD = ("Session", "Project", "Working", "Waiting", "Failures", "Cost")
_MINUTE, _HOUR = 60_000, 3_600_000
# Claude Code ends a command after ten minutes unless told otherwise: what takes longer may as well
# have waited for an answer, and is not drawn as work.
_LONGEST_CALL = 10 * _MINUTE


class _Drawn(NamedTuple):
    """What one session did on a day."""

    thread: str = ""
    paths: tuple[tuple[str, str], ...] = ()
    worked: int = 0
    waited: int = 0
    failed: int = 0


_NOTHING = _Drawn()


class LaneCache:
    """Lanes as they were last drawn: a session's is drawn again when its strip is another."""

    def __init__(self) -> None:
        nothing: dict[str, tuple[ActivityStrip, int | None, _Drawn]] = {}
        self._last = _Day(0, 0, 0), nothing

    def draw(self, sessions: Sequence[LaneSession], day: _Day) -> list[tuple[LaneSession, _Drawn]]:
        """Each session with its lane."""
        before, known = self._last
        drawn = {}
        for one in sessions:
            last = known.get(one.id) if before == day else None
            if last is None or last[0] is not one.strip or last[1] != one.waits_since:
                last = one.strip, one.waits_since, _drawn(one.strip, one.waits_since, day)
            drawn[one.id] = last
        self._last = day, drawn
        return [(one, drawn[one.id][2]) for one in sessions]


def lanes(
    sessions: Sequence[LaneSession],
    midnight: int,
    now: int,
    zone: tzinfo | None = None,
    cache: LaneCache | None = None,
) -> Lanes | None:
    """One lane for each session, as they were given; None where nobody did anything today."""
    end = -(-now // _MINUTE) * _MINUTE  # what was drawn is good for a minute
    first = _first_hour(sessions, midnight, end)
    if first is None:
        return None
    begin = midnight + first * _HOUR
    day = _Day(begin, max(end, begin + _HOUR), end)
    every = (cache or LaneCache()).draw(sessions, day)
    active = [(one, drawn) for one, drawn in every if drawn.thread]
    apart = max(1, -(-(day.end - day.start) // _HOUR // 8))
    hours = range(first, first + (day.end - day.start) // _HOUR + 1, apart)
    return Lanes(
        start=f"{first:02}:00",
        grid="".join(f"M{_n(day.x(midnight + h * _HOUR))} -6V18" for h in hours),
        hours=tuple((round(day.x(midnight + h * _HOUR) / 10, 2), f"{h:02}") for h in hours),
        now=f"{datetime.fromtimestamp(now / 1_000, UTC).astimezone(zone):%H:%M}",
        waited=_took(sum(drawn.waited for _, drawn in active)),
        lanes=tuple(Lane(*one[:7], drawn.thread, drawn.paths) for one, drawn in every),
        head=_HEAD,
        rows=tuple(_row(one, drawn) for one, drawn in active),
    )


def _first_hour(sessions: Iterable[LaneSession], midnight: int, end: int) -> int | None:
    """The first hour after midnight in which anybody worked."""
    day = _Day(midnight, end, end)
    starts = [span.start for one in sessions for span in day.clipped(one.strip.turns)]
    return (min(starts) - midnight) // _HOUR if starts else None


def _drawn(strip: ActivityStrip, since: int | None, day: _Day) -> _Drawn:
    now = () if since is None else (TimeSpan(since, max(since, day.now)),)
    turns, waits = list(day.clipped(strip.turns)), list(day.clipped((*strip.waits, *now)))
    if not turns:
        return _NOTHING
    failed = [call for call in strip.calls if call.failed and call.start >= day.start]
    worked = list(_without(turns, (*waits, *day.clipped(_unproven(strip)))))
    pixel = (day.end - day.start) // 1_000
    paths = {
        "turn": "".join(_box(day, span, 3, 6) for span in _joined(worked, pixel)),
        "wait": "".join(_box(day, span, 2, 8) for span in _joined(waits, pixel)),
        "err": "".join(f"M{_n(day.x(call.start))} 1h2v10h-2z" for call in failed[:200]),
    }
    first, last = turns[0].start, max(span.end for span in (*turns, *waits))
    return _Drawn(
        thread=f"M{_n(day.x(first))} 6.5H{_n(day.x(last))}",
        paths=tuple((name, path) for name, path in paths.items() if path),
        worked=sum(b - a for a, b in worked),
        waited=sum(b - a for a, b in waits),
        failed=len(failed),
    )


def _unproven(strip: ActivityStrip) -> Iterator[TimeSpan]:
    """Calls of which nobody can say that they worked all the time, without those by agents."""
    calls = [TimeSpan(start, end) for start, end, _ in strip.calls if end - start > _LONGEST_CALL]
    return _without(calls, strip.agents)


def _without(spans: Iterable[TimeSpan], others: Iterable[TimeSpan]) -> Iterator[TimeSpan]:
    """What is left of some intervals when others are taken out of them."""
    holes = list(_joined(others))
    ends = [hole.end for hole in holes]
    for start, end in spans:
        at = start
        for a, b in islice(holes, bisect_right(ends, start), None):
            if a >= end:
                break
            if a > at:
                yield TimeSpan(at, a)
            at = b
        if at < end or at == start:
            yield TimeSpan(at, end)


def _joined(spans: Iterable[TimeSpan], near: int = 0) -> Iterator[TimeSpan]:
    """Intervals in order, those that are closer than `near` or overlap as one."""
    last: TimeSpan | None = None
    for one in sorted(spans):
        if last is not None and one.start - last.end > near:
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
