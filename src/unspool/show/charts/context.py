"""What filled the context by turn -> areas in seven fixed hues, cut at each compaction."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from unspool.model.document import Categories, Context, ContextTurn, Phase
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
_OTHER: Final = ("other", "Untracked")
_HEIGHTS: Final = {"s": 128, "m": 208, "l": 256}
_TURNED: Final = 75.0  # from here on a word stands before its line
_ROOM: Final = {"s": 30.0, "m": 15.0, "l": 10.0}  # percent of the width that a word needs


class Share(NamedTuple):
    name: str
    text: str
    percent: int
    tokens: str


class ContextChart(NamedTuple):
    size: str
    label: str
    floor: int
    grid: tuple[GridLine, ...]
    areas: tuple[tuple[str, str], ...]
    limit_y: float | None
    cuts: tuple[tuple[float, str], ...]
    legend: tuple[Share, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def context(usage: Context, limit: int | None = None, size: str = "s") -> ContextChart:
    """Estimated by category, measured as a whole; `limit` is the model's window."""
    floor = _HEIGHTS[size] - 22
    points = [_point(turn) for turn in usage.turns]
    top = float(max([limit or 0, 1, *map(sum, points)]))
    starts = _starts(usage)
    return ContextChart(
        size=size,
        label="tokens in the context by turn and category",
        floor=floor,
        grid=tuple(_grid(top, limit, floor)),
        areas=tuple(_areas(points, starts, top, floor)),
        limit_y=None if limit is None else round(floor - limit / top * floor, 1),
        cuts=tuple(_legible(_cuts(usage.phases, starts, len(points)), _ROOM[size])),
        legend=tuple(_legend(points[-1])) if points else (),
        head=("Turn", *(text for _, _, text in CATEGORIES), _OTHER[1]),
        rows=tuple(
            (str(turn.turn), *map(format_count, point))
            for turn, point in zip(usage.turns, points, strict=True)
        ),
    )


def _point(turn: ContextTurn) -> tuple[int, ...]:
    total: Categories = turn.total
    return (*(max(getattr(total, field), 0) for _, field, _ in CATEGORIES), max(turn.untracked, 0))


def _starts(usage: Context) -> list[int]:
    """Where each phase begins, as a place among the turns."""
    places = {turn.chunk_id: at for at, turn in reversed(list(enumerate(usage.turns)))}
    starts = (places.get(phase.first_chunk) for phase in usage.phases)
    return sorted({0, *(at for at in starts if at is not None)})


def _grid(top: float, limit: int | None, floor: int) -> Iterator[GridLine]:
    for part in (0.5, 1.0):
        value = top * part
        word = " limit" if limit and value == limit else ""
        yield GridLine(round(floor - part * floor, 1), f"{format_count(round(value))}{word}")


def _areas(
    points: Sequence[tuple[int, ...]], starts: Sequence[int], top: float, floor: int
) -> Iterator[tuple[str, str]]:
    names = (*(name for name, _, _ in CATEGORIES), _OTHER[0])
    phases = [range(a, b) for a, b in zip(starts, [*starts[1:], len(points)], strict=True)]
    wide = 1000 / max(len(points) - 1, 1)
    low = [0] * len(points)
    for rank, name in enumerate(names):
        high = [under + point[rank] for under, point in zip(low, points, strict=True)]
        if high != low:
            edges = (_phase(phase, low, high, (wide, floor / top, floor)) for phase in phases)
            yield name, "".join(edges)
        low = high


def _phase(
    turns: range, low: Sequence[int], high: Sequence[int], scale: tuple[float, float, int]
) -> str:
    wide, tall, floor = scale
    # One turn alone has no width: it is drawn as a thin column.
    ends = [turns[0] * wide, min(turns[0] * wide + 6, 1000)] if len(turns) == 1 else []
    xs = [(turns[0], x) for x in ends] or [(at, at * wide) for at in turns]
    up = [f"{x:.1f} {floor - high[at] * tall:.1f}" for at, x in xs]
    down = [f"{x:.1f} {floor - low[at] * tall:.1f}" for at, x in reversed(xs)]
    return f"M{'L'.join(up + down)}z"


def _cuts(
    phases: Sequence[Phase], starts: Sequence[int], count: int
) -> Iterator[tuple[float, str]]:
    compactions = [phase.compaction for phase in phases if phase.compaction]
    for at, one in zip(starts[1:], compactions, strict=False):
        before, after = one.pre_tokens, one.post_tokens
        tokens = f"{format_count(before)} → {format_count(after)}" if before and after else ""
        yield round((at - 0.5) / max(count - 1, 1) * 100, 1), tokens or "compacted"


def _legible(cuts: Iterator[tuple[float, str]], room: float) -> Iterator[tuple[float, str]]:
    """Where many are close together, only those have words that do not stand on others'."""
    free = -room
    for x, text in cuts:
        begin = x if x < _TURNED else x - room
        yield x, text if begin >= free else ""
        free = begin + room if begin >= free else free


def _legend(point: Sequence[int]) -> Iterator[Share]:
    names = [*((name, text) for name, _, text in CATEGORIES), _OTHER]
    whole = sum(point) or 1
    for tokens, (name, text) in sorted(zip(point, names, strict=True), reverse=True):
        if tokens:
            yield Share(name, text, round(tokens / whole * 100), format_count(tokens))
