"""A tape -> the spool: a whole session as one thin strip, in three sizes."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import Final, Literal, NamedTuple, TypeAlias

from unspool.model.insights import ActivityStrip
from unspool.model.steps import StepCost
from unspool.show.charts.spool_data import CallMark, CostMark, Interval, SpoolData, strip_data

Size: TypeAlias = Literal["row", "card", "page"]
Live: TypeAlias = Literal["", "work", "wait", "ok", "fail"]


class _Look(NamedTuple):
    height: float
    turn_y: float
    turn_height: float
    base: float
    tool_height: float
    agent_y: float
    agent_height: float
    agent_gap: float
    lanes: int
    prompt: float  # width of a prompt's mark
    tool: float  # width of a call
    apart: float  # calls nearer than this are drawn as one
    sign: float  # size of the mark at the end
    pixel: float  # about this part of the width; a smaller gap is not drawn
    cost_height: float = 0.0  # of the lane at the bottom


_LOOKS: Final[dict[Size, _Look]] = {
    "row": _Look(20, 1.5, 4, 14, 6, 16.5, 1.2, 2.2, 2, 4, 4, 7, 5, 0.004),
    "card": _Look(40, 3, 6, 29, 12, 33, 2, 4, 2, 2.6, 2.6, 4.5, 7, 0.002),
    "page": _Look(104, 3, 8, 44, 28, 50, 3, 6, 4, 1.7, 1.5, 2.4, 8, 0.0008, 26),
}
_MARKS: Final = 40  # of one kind
_COLUMN: Final = 4.0  # how wide a bar of the cost lane is, with the gap beside it
_LONG: Final = 0.028  # a call of this part of the session is as tall as one can be


class SpoolMark(NamedTuple):
    """What is not stretched with the strip: shapes at one place of it."""

    x: float
    y: float
    paths: tuple[tuple[str, str], ...]


class Spool(NamedTuple):
    """Where everything stands; `paths` are stretched to the width, `marks` are not."""

    size: Size
    label: str
    height: float
    thread: str
    paths: tuple[tuple[str, str], ...]
    marks: tuple[SpoolMark, ...]


def spool(
    data: SpoolData,
    size: Size = "row",
    live: Live = "",
    label: str = "",
    hits: Iterable[float] = (),
    brush: tuple[float, float] | None = None,
) -> Spool:
    """Few nodes however long the session is: one path for each kind of thing."""
    look = _LOOKS[size]
    paths = {
        **_speech(data, look, live),
        "run": "".join(_running(data.tools, look)),
        "tool": "".join(_calls(data.tools, look)),
        "agent": "".join(_agents(data, look)),
        "err": "".join(_failures(data.tools, look)),
        **_costs(data.costs, look),
        "fold": "".join(_box(a * 1000, 0, (b - a) * 1000, look.height) for a, b in data.folds),
    }
    drawn = Spool(
        size=size,
        label=label or "session",
        height=look.height,
        thread=f"M0 {_n(look.base + 0.5)}H1000",
        paths=tuple((name, path) for name, path in paths.items() if path),
        marks=(
            *_cuts(data, look),
            *_end(data, look, live),
            *_crosses(data, look, size),
            *_breaks(data.costs, look),
        ),
    )
    return over_spool(drawn, hits, brush)


def over_spool(
    drawn: Spool, hits: Iterable[float] = (), brush: tuple[float, float] | None = None
) -> Spool:
    """A spool with what lies over it: hits of a search, and the part that is shown."""
    look = _LOOKS[drawn.size]
    paths = {
        "hit": "".join(_box(hit * 1000 - look.tool / 2, 0, look.tool, look.height) for hit in hits),
        "brush": _window(brush, look),
    }
    return drawn._replace(
        paths=(*drawn.paths, *((name, path) for name, path in paths.items() if path))
    )


class SpoolCache:
    """Draws a session's strip once for as long as it is the same one; from any thread."""

    def __init__(self, most: int = 1_000) -> None:
        self._most = most
        self._lock = Lock()
        # Only the latest strip of a session is held: each is as long as the session.
        self._drawn: OrderedDict[str, tuple[ActivityStrip, dict[tuple[Size, Live], Spool]]]
        self._drawn = OrderedDict()

    def draw(self, key: str, strip: ActivityStrip, size: Size, live: Live, label: str) -> Spool:
        """The spool of the session of a key, from what the index knows."""
        with self._lock:
            known = self._drawn.get(key)
            if known is None or known[0] is not strip:
                known = self._drawn[key] = strip, {}
                self._drawn.move_to_end(key)
                while len(self._drawn) > self._most:
                    self._drawn.popitem(last=False)
        drawn = known[1].get((size, live))
        if drawn is None:
            drawn = known[1][size, live] = spool(strip_data(strip), size, live)
        return drawn._replace(label=label)


def _speech(data: SpoolData, look: _Look, live: Live) -> dict[str, str]:
    y, height = look.turn_y, look.turn_height
    last = data.turns[-1:] if live == "work" else ()
    past = joined(data.turns[: len(data.turns) - len(last)], look.pixel)
    over = 1 if look.height == 20 else 2
    waits = joined(data.waits, look.pixel)
    marks = apart((turn.start for turn in data.turns), look.prompt * 1.5 / 1000)
    thinking = joined(data.thinking, look.pixel) if look.height > 20 else ()
    return {
        "turn": "".join(_box(a * 1000, y, max(2, (b - a) * 1000), height) for a, b in past),
        "now": "".join(_box(a * 1000, y, max(2, (b - a) * 1000), height) for a, b in last),
        "think": "".join(_box(a * 1000, y, max(2, (b - a) * 1000), height) for a, b in thinking),
        "wait": "".join(_box(a * 1000, y, max(3, (b - a) * 1000), height) for a, b in waits),
        "you": "".join(_box(a * 1000, y - over, look.prompt, height + 2 * over) for a in marks),
    }


def joined(stretches: Iterable[Interval], least: float) -> Iterator[Interval]:
    """Intervals closer than that are joined, so that few are drawn."""
    last: Interval | None = None
    for one in sorted(stretches):
        if last is not None and one.start - last.end >= least:
            yield last
            last = None
        last = Interval(last.start, max(last.end, one.end)) if last is not None else one
    if last is not None:
        yield last


def apart(moments: Iterable[float], least: float) -> Iterator[float]:
    """The first of those that would touch."""
    at = -1.0
    for one in sorted(moments):
        if one - at >= least:
            at = one
            yield one


def _calls(tools: Iterable[CallMark], look: _Look) -> Iterator[str]:
    """Of calls that would touch, the longest stands for all."""
    at, tallest = -9.0, 0.0
    for start, length, failed in sorted(tools):
        if failed:
            continue
        if start * 1000 - at >= look.apart:
            if tallest:
                yield _box(at, look.base - tallest, look.tool, tallest)
            at, tallest = start * 1000, 0.0
        tallest = max(tallest, max(0.22, min(1.0, (length / _LONG) ** 0.5)) * look.tool_height)
    if tallest:
        yield _box(at, look.base - tallest, look.tool, tallest)


def _running(tools: Iterable[CallMark], look: _Look) -> Iterator[str]:
    """The time that calls took, paler than their beginnings; only where there is room."""
    if look.cost_height:
        spans = (Interval(start, start + length) for start, length, failed in tools if not failed)
        low = look.tool_height * 0.22
        for start, end in joined(spans, look.pixel):
            if (end - start) * 1000 > look.tool:
                yield _box(start * 1000, look.base - low, (end - start) * 1000, low)


def _costs(costs: Sequence[CostMark], look: _Look) -> dict[str, str]:
    """One bar for steps that would touch, split by cause; as tall as the square root of its cost.

    Otherwise one expensive step would flatten all others.
    """
    columns: dict[int, list[int]] = {}
    for start, cost in costs if look.cost_height else ():
        column = columns.setdefault(int(start * 1000 / _COLUMN), [0] * len(cost))
        for n, part in enumerate(cost):
            column[n] += part
    top = max(map(sum, columns.values()), default=0)
    paths = dict.fromkeys(StepCost._fields, "")
    for at, column in sorted(columns.items()):
        whole, y = sum(column), look.height - 1
        tall = max((whole / top) ** 0.5 * look.cost_height, 1.0)
        for name, part in zip(StepCost._fields, column, strict=True):
            if part:
                height = part / whole * tall
                y -= height
                paths[name] += _box(at * _COLUMN, y, _COLUMN * 0.75, height)
    return {f"cost-{name}": path for name, path in paths.items()}


def _breaks(costs: Iterable[CostMark], look: _Look) -> Iterator[SpoolMark]:
    """Where the cache was lost, marked above the bars."""
    if look.cost_height:
        y = look.height - look.cost_height - 3
        lost = apart((start for start, cost in costs if cost.rewrite), 0.01)
        for start in islice(lost, _MARKS):
            yield SpoolMark(_percent(start), y, (("s-break", "M0-3.5 3.5 0 0 3.5-3.5 0z"),))


def _failures(tools: Iterable[CallMark], look: _Look) -> Iterator[str]:
    for start, _, failed in tools:
        if failed:
            y = look.base - look.tool_height
            yield _box(start * 1000, y, look.tool * 1.4, look.tool_height)


def _agents(data: SpoolData, look: _Look) -> Iterator[str]:
    for start, end, lane in data.agents:
        if lane < look.lanes:
            y = look.agent_y + lane * look.agent_gap
            yield _box(start * 1000, y, max(4, (end - start) * 1000), look.agent_height)


def _cuts(data: SpoolData, look: _Look) -> Iterator[SpoolMark]:
    gap = 1.5 if look.height == 20 else 2
    back = _box(-gap - 1, -1, 2 * gap + 2, look.height + 2)
    rule = f"M{_n(-gap)} -1V{_n(look.height + 1)}M{_n(gap)} -1V{_n(look.height + 1)}"
    for at in data.cuts:
        yield SpoolMark(_percent(at), 0, (("s-cut-bg", back), ("s-cut", rule)))


def _end(data: SpoolData, look: _Look, live: Live) -> Iterator[SpoolMark]:
    if not live:
        return
    last = max((end for _, end in (*data.turns, *data.waits)), default=0.0)
    middle, size = look.turn_y + look.turn_height / 2, look.sign
    if live == "work":
        line = f"M0 {_n(-2 - middle)}V{_n(look.height + 2 - middle)}"
        r = _n(size * 0.7)
        dot = f"M-{r} 0a{r} {r} 0 1 0 {_n(size * 1.4)} 0a{r} {r} 0 1 0 -{_n(size * 1.4)} 0z"
        yield SpoolMark(_percent(last), middle, (("s-head", line), ("s-head-dot", dot)))
        return
    shapes = {
        "wait": ("s-tri", f"M0 {_n(-size)}L{_n(size)} {_n(size * 0.8)}H{_n(-size)}z"),
        "fail": ("s-x", "m5 -4 8 8m0 -8-8 8"),
        "ok": ("s-end", "m5 .5 3 3L14 -4"),
    }
    yield SpoolMark(_percent(last), middle, (shapes[live],))


def _crosses(data: SpoolData, look: _Look, size: Size) -> Iterator[SpoolMark]:
    y = look.base - look.tool_height - 4
    failed = [tool for tool in data.tools if tool.failed] if size != "row" else []
    return (
        SpoolMark(_percent(one.start), y, (("s-x", "m-2 -2 4 4m0 -4-4 4"),))
        for one in failed[:_MARKS]
    )


def _window(brush: tuple[float, float] | None, look: _Look) -> str:
    if brush is None:
        return ""
    start, end = brush
    return _box(start * 1000, -2, (end - start) * 1000, look.height + 4)


def _box(x: float, y: float, width: float, height: float) -> str:
    return f"M{_n(x)} {_n(y)}h{_n(width)}v{_n(height)}h{_n(-width)}z"


def _percent(part: float) -> float:
    return round(part * 100, 1)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
