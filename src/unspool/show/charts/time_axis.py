"""When something ran -> an axis from 0 to 1: work is linear, long pauses are folded."""

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta, tzinfo
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from unspool.show.times import duration, local_time

Fold: TypeAlias = Literal["", "pause", "wait"]

_PAUSE_MS: Final = 180_000  # nothing ran for longer: folded
_WAIT_MS: Final = 600_000  # somebody waited for longer: folded too
_FOLD: Final = 0.02  # of the width
_FOLDS: Final = 0.34  # at most, all together
_TICKS: Final = 7
_ROOM: Final = 0.06  # of the width, for a word
_LAST: Final = 0.96  # where the last one may begin
_NARROW: Final = 0.27  # the same on a phone, where the key stands at the end
_NARROW_LAST: Final = 0.7
_DOTS: Final = "⋯"
_MINUTE: Final = 60_000
_EVERY: Final = tuple(
    minutes * _MINUTE for minutes in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440)
)


class AxisSegment(NamedTuple):
    """A stretch of time and its place; inside a fold nothing ran, or only a person was awaited."""

    start: int
    end: int
    left: float
    right: float
    fold: Fold = ""


class Tick(NamedTuple):
    """A word below the axis; `is_fold` says how long a pause was.

    On a phone there is no room for one that `is_spare`.
    """

    x: float
    text: str
    is_fold: bool = False
    is_spare: bool = False


class TimeAxis:
    """Milliseconds to places and back; segments follow each other without gaps."""

    def __init__(self, segments: Sequence[AxisSegment]) -> None:
        self.segments = tuple(segments)
        self._starts = [one.start for one in segments]

    @property
    def start(self) -> int:
        """When it begins."""
        return self._starts[0]

    def at(self, moment: int) -> float:
        """The place of a moment; of one outside, the nearer end."""
        one = self.segments[max(bisect_right(self._starts, moment) - 1, 0)]
        share = (moment - one.start) / max(one.end - one.start, 1)
        return one.left + (one.right - one.left) * min(max(share, 0.0), 1.0)

    def ticks(
        self,
        zone: tzinfo | None = None,
        room: float = _ROOM,
        narrow: float = _NARROW,
        narrow_last: float = _NARROW_LAST,
    ) -> Iterator[Tick]:
        """The length of each fold, and clock times between them, where there is room.

        `room` is what a word needs of the width, `narrow` the same on a phone, and `narrow_last`
        where the last one may begin there.
        """
        every = self._every()
        wanted = [
            *(
                Tick((one.left + one.right) / 2, _length(one), is_fold=True)
                for one in self.segments
                if one.fold
            ),
            *(
                Tick(self.at(moment), f"{local_time(moment, zone):%H:%M}")
                for one in self.segments
                if not one.fold
                for moment in _round_moments(one.start, one.end, every, zone)
            ),
        ]
        chosen = _apart((one for one in wanted if one.x < _LAST), room)
        kept = set(_apart((one for one in chosen if one.x <= narrow_last), narrow))
        yield from (one._replace(is_spare=one not in kept) for one in sorted(chosen))

    def _every(self) -> int:
        active = sum(one.end - one.start for one in self.segments if not one.fold)
        return next((every for every in _EVERY if active <= every * _TICKS), _EVERY[-1])


def _apart(ticks: Iterable[Tick], room: float) -> list[Tick]:
    """Those that stand at least so far from all before them that are taken."""
    places, taken = list[float](), list[Tick]()
    for one in ticks:
        at = bisect_right(places, one.x)
        if all(abs(one.x - near) >= room for near in places[max(at - 1, 0) : at + 1]):
            insort(places, one.x)
            taken.append(one)
    return taken


def _length(one: AxisSegment) -> str:
    return f"{_DOTS} {duration(one.end - one.start)}"


def _round_moments(start: int, end: int, every: int, zone: tzinfo | None) -> Iterator[int]:
    """Round times of the day between two moments."""
    offset = int((local_time(start, zone).utcoffset() or timedelta()).total_seconds() * 1000)
    yield from range(-(-(start + offset) // every) * every - offset, end, every)


def time_axis(
    active: Iterable[tuple[int, int]], waits: Iterable[tuple[int, int]] = ()
) -> TimeAxis | None:
    """From when anything ran, and when it waited for a person; None where nothing has a time."""
    spans = list(_merged(active))
    waited = list(_merged(waits))
    pieces = list(_pieces(spans, waited))
    if not pieces:
        return None
    folds = sum(bool(fold) for _, _, fold in pieces)
    width = min(_FOLD, _FOLDS / folds) if folds else 0.0
    work = sum(end - start for start, end, fold in pieces if not fold)
    scale = (1.0 - folds * width) / max(work, 1)
    segments, left = list[AxisSegment](), 0.0
    for start, end, fold in pieces:
        right = min(left + (width if fold else (end - start) * scale), 1.0)  # sums are not exact
        segments.append(AxisSegment(start, end, left, right, fold))
        left = right
    return TimeAxis([*segments[:-1], segments[-1]._replace(right=1.0)])


def _merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    last: tuple[int, int] | None = None
    for start, end in sorted(spans):
        if last is None or start > last[1]:
            if last is not None:
                yield last
            last = start, max(start, end)
        else:
            last = last[0], max(last[1], end)
    if last is not None:
        yield last


def _pieces(
    active: Sequence[tuple[int, int]], waits: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, Fold]]:
    """Work, pauses and long waits in order; a short pause is work."""
    long = [one for one in waits if one[1] - one[0] > _WAIT_MS]
    edges = sorted({edge for one in (*active, *long) for edge in one})
    begin: int | None = None
    for start, end in pairwise(edges):
        fold = _fold_of(start, end, active, long)
        if not fold:
            begin = start if begin is None else begin
            continue
        if begin is not None and start > begin:
            yield begin, start, ""
        begin = None
        yield start, end, fold
    if edges:
        yield (edges[-1] if begin is None else begin), edges[-1], ""


def _fold_of(
    start: int,
    end: int,
    active: Sequence[tuple[int, int]],
    waits: Sequence[tuple[int, int]],
) -> Fold:
    if _covers(waits, start, end):
        return "wait"
    return "pause" if end - start > _PAUSE_MS and not _covers(active, start, end) else ""


def _covers(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    after = bisect_right(spans, (start, 1 << 62))
    return bool(after) and spans[after - 1][1] >= end
