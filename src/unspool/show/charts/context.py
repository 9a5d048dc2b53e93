"""What filled the context by response -> areas in fixed hues, cut at each compaction."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from msgspec.structs import astuple

from unspool.model.document import Categories, Compaction, Context
from unspool.model.steps import ContextPoint
from unspool.show.charts.spend import GridLine
from unspool.show.numbers import format_count

# From the ground up: what changes least lies lowest.
CATEGORIES: Final = (
    ("claude", "claude_md", "CLAUDE.md"),
    ("skills", "skills", "Skills"),
    ("user", "user_messages", "Your messages"),
    ("files", "mentioned_files", "Mentioned files"),
    ("tasks", "task_coordination", "Task coordination"),
    ("think", "thinking_text", "Thinking"),
    ("tools", "tool_outputs", "Tool output"),
)
NAMES: Final = (
    ("system", "System and tools"),
    *((name, text) for name, _, text in CATEGORIES),
    ("hidden", "Hidden thinking"),
    ("other", "Untracked"),
)
_WHY: Final = {
    "system": "What no line accounts for in the first request: the system prompt, the tool"
    " definitions, and files that Claude Code adds itself. Each request repeats it.",
    "hidden": "What the model wrote but Claude Code does not store, mostly thinking: output tokens"
    " minus the estimate for what is stored.",
    "other": "Counted by the API but not found in any line: images, attachments, summaries,"
    " and estimates that are too low.",
}
_HEIGHTS: Final = {"s": 128, "m": 208, "l": 256}
_TURNED: Final = 75.0  # from here on a word stands before its line
_COLUMNS: Final = {"s": 120, "m": 200, "l": 300}
_ROOM: Final = {"s": 30.0, "m": 15.0, "l": 10.0}  # percent of the width that a word needs


class Share(NamedTuple):
    name: str
    text: str
    percent: int
    tokens: str
    why: str = ""


class ContextColumn(NamedTuple):
    """One response: where it is drawn, its step, and its figures in a sentence."""

    x: float
    width: float
    place: str
    title: str


class ContextBand(NamedTuple):
    """The responses that are looked at: where they are drawn, and what they added, in words."""

    x: float
    width: float
    text: str


class ContextChart(NamedTuple):
    size: str
    label: str
    floor: int
    grid: tuple[GridLine, ...]
    areas: tuple[tuple[str, str], ...]
    limit_y: float | None
    cuts: tuple[tuple[float, str], ...]
    legend: tuple[Share, ...]
    columns: tuple[ContextColumn, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    band: ContextBand | None = None


def context(
    points: Sequence[ContextPoint],
    compactions: Mapping[int, Compaction],
    limit: int | None = None,
    size: str = "s",
    places: Sequence[str] = (),
    within: Sequence[int] = (),
) -> ContextChart:
    """One column for each response; of very many, some. `limit` is the model's window.

    `compactions` ended the phases with these numbers; `places` are the elements of the points.
    `within` are the points that are looked at, in order: the legend is of the last of them.
    """
    floor, most = _HEIGHTS[size] - 22, _COLUMNS[size]
    base = max(points[0].measured - sum(points[0].sizes), 0) if points else 0
    chosen = _sampled(points, most)
    columns = [_column(points[at], base) for at in chosen]
    top = float(max([limit or 0, 1, *map(sum, columns)]))
    phases = [points[at].phase for at in chosen]
    shown = [_column(points[at], base) for at in (*within[-1:], *chosen[-1:])]
    return ContextChart(
        size=size,
        label="tokens in the context by response and category",
        floor=floor,
        grid=tuple(_grid(top, limit, floor)),
        areas=tuple(_areas(columns, phases, top, floor)),
        limit_y=None if limit is None else round(floor - limit / top * floor, 1),
        cuts=tuple(_legible(_cuts(phases, compactions), _ROOM[size])),
        legend=tuple(_legend(shown[0])) if shown else (),
        columns=tuple(
            ContextColumn(
                x=round(n / len(chosen) * 100, 2),
                width=round(100 / len(chosen), 2),
                place=places[at] if places else "",
                title=_told(points[at], columns[n]),
            )
            for n, at in enumerate(chosen)
        ),
        head=("Turn", "Total", *(text for _, text in NAMES)),
        rows=tuple(
            (str(points[at].turn), *map(format_count, (sum(column), *column)))
            for at, column in zip(chosen, columns, strict=True)
        ),
        band=_band(points, chosen, within) if within else None,
    )


def _band(
    points: Sequence[ContextPoint], chosen: Sequence[int], within: Sequence[int]
) -> ContextBand:
    first, last = within[0], within[-1]
    begin, end = bisect_right(chosen, first) - 1, bisect_right(chosen, last)
    before, after = points[first - 1].measured if first else 0, points[last].measured
    added = f"{'+' if after >= before else '−'}{format_count(abs(after - before))}"
    return ContextBand(
        x=round(begin / len(chosen) * 100, 2),
        width=round((end - begin) / len(chosen) * 100, 2),
        text=f"{format_count(before)} → {format_count(after)} in these steps, {added}",
    )


def turn_points(usage: Context) -> list[ContextPoint]:
    """One point for each turn: all that a document has."""
    first = {phase.first_chunk: phase.number for phase in usage.phases}
    points, phase = list[ContextPoint](), 1
    for turn in usage.turns:
        phase = first.get(turn.chunk_id, phase)
        sizes = tuple(max(size, 0) for size in astuple(turn.total))
        points.append(ContextPoint(0, turn.turn, phase, sizes, sum(sizes) + max(turn.untracked, 0)))
    return points


def _sampled(points: Sequence[ContextPoint], most: int) -> list[int]:
    """Every nth, and the first and last of each phase."""
    every = max(-(-len(points) // most), 1)
    last = len(points) - 1
    return [
        at
        for at, point in enumerate(points)
        if at % every == 0
        or at == last
        or point.phase != points[at - 1].phase
        or point.phase != points[at + 1].phase
    ]


def _column(point: ContextPoint, base: int) -> tuple[int, ...]:
    """What every request begins with, the categories, and what nothing explains."""
    sizes = dict(zip(Categories.__struct_fields__, point.sizes, strict=True))
    rest = max(point.measured - sum(point.sizes), 0)
    system = min(base, rest)
    hidden = min(point.hidden, rest - system)
    known = (sizes[field] for _, field, _ in CATEGORIES)
    return (system, *known, hidden, rest - system - hidden)


def _told(point: ContextPoint, column: Sequence[int]) -> str:
    whole = sum(column)
    parts = sorted(zip(column, NAMES, strict=True), reverse=True)
    shares = ", ".join(f"{text} {format_count(size)}" for size, (_, text) in parts[:4] if size)
    return f"Turn {point.turn}: {format_count(whole)} tokens. {shares}."


def _grid(top: float, limit: int | None, floor: int) -> Iterator[GridLine]:
    for part in (0.5, 1.0):
        value = top * part
        word = " limit" if limit and value == limit else ""
        yield GridLine(round(floor - part * floor, 1), f"{format_count(round(value))}{word}")


def _areas(
    columns: Sequence[tuple[int, ...]], phases: Sequence[int], top: float, floor: int
) -> Iterator[tuple[str, str]]:
    wide, tall = 1000 / max(len(columns), 1), floor / top
    low = [0] * len(columns)
    for rank, (name, _) in enumerate(NAMES):
        high = [under + column[rank] for under, column in zip(low, columns, strict=True)]
        if high != low:
            yield name, "".join(_phases(low, high, phases, wide, tall, floor))
        low = high


def _phases(
    low: Sequence[int],
    high: Sequence[int],
    phases: Sequence[int],
    wide: float,
    tall: float,
    floor: int,
) -> Iterator[str]:
    """Steps, so that one response is already wide; a compaction begins a new area."""
    for _, group in groupby(range(len(phases)), key=lambda at: phases[at]):
        inside = list(group)
        up = [f"V{floor - high[at] * tall:.1f}H{(at + 1) * wide:.1f}" for at in inside]
        down = [f"V{floor - low[at] * tall:.1f}H{at * wide:.1f}" for at in reversed(inside)]
        first = inside[0]
        yield f"M{first * wide:.1f} {floor - low[first] * tall:.1f}{''.join(up + down)}z"


def _cuts(
    phases: Sequence[int], compactions: Mapping[int, Compaction]
) -> Iterator[tuple[float, str]]:
    for at, (before, after) in enumerate(pairwise(phases), 1):
        if before != after:
            one = compactions.get(before)
            pre, post = (one.pre_tokens, one.post_tokens) if one else (None, None)
            tokens = f"{format_count(pre)} → {format_count(post)}" if pre and post else ""
            yield round(at / len(phases) * 100, 1), tokens or "compacted"


def _legible(cuts: Iterator[tuple[float, str]], room: float) -> Iterator[tuple[float, str]]:
    """Where many are close together, only those have words that do not stand on others'."""
    free = -room
    for x, text in cuts:
        begin = x if x < _TURNED else x - room
        yield x, text if begin >= free else ""
        free = begin + room if begin >= free else free


def _legend(column: Sequence[int]) -> Iterator[Share]:
    whole = sum(column) or 1
    for tokens, (name, text) in sorted(zip(column, NAMES, strict=True), reverse=True):
        if tokens:
            why = _WHY.get(name, "")
            yield Share(name, text, round(tokens / whole * 100), format_count(tokens), why)
