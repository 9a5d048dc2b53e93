"""The other pages of a session: what filled its context, its bars, its calls, its lines."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from msgspec import UNSET, Struct

from unspool.model.document import Phase, SessionDocument, ToolExecution
from unspool.show import times
from unspool.show.charts import waterfall
from unspool.show.charts.context import ContextChart
from unspool.show.money import format_count, plural
from unspool.show.views.session import SessionPage
from unspool.show.views.steps import calls
from unspool.show.views.steps.around import Around
from unspool.show.views.steps.shapes import Row

_BAD: Final = ("error", "rejected", "interrupted")


class Bar(Struct, frozen=True, kw_only=True):
    """Something that took time; `place` is its element on the page of the story."""

    id: str
    place: str
    text: str
    level: int
    kind: str
    x: float
    width: float
    took: str


class Timed(Struct, frozen=True, kw_only=True):
    """Something that took time, before it is drawn."""

    id: str
    place: str
    text: str
    kind: str
    level: int
    start: int
    end: int


class CallRow(Struct, frozen=True, kw_only=True):
    """One call in the table of calls."""

    row: Row
    clock: str
    exact: str
    state: str
    waited: str
    decision: str


class LineRow(Struct, frozen=True, kw_only=True):
    """One line of the transcript."""

    number: int
    type: str
    preview: str
    size: str


class LineWhole(Struct, frozen=True, kw_only=True):
    """One line, laid out and as it is."""

    number: int
    event: str
    state: str
    size: str
    pretty: str
    text: str
    is_cut: bool = False


class ContextPage(SessionPage, frozen=True, kw_only=True):
    """What filled the context, turn by turn."""

    template: ClassVar[str] = "session/context.html"
    view: ClassVar[str] = "context"
    chart: ContextChart | None = None
    phases: tuple[tuple[str, ...], ...] = ()


class WaterfallPage(SessionPage, frozen=True, kw_only=True):
    """Answers, calls and agents on one line of time."""

    template: ClassVar[str] = "session/waterfall.html"
    view: ClassVar[str] = "waterfall"
    bars: tuple[Bar, ...] = ()
    table: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] = ((), ())
    spans: str = ""


class ToolsPage(SessionPage, frozen=True, kw_only=True):
    """Every call: how it went, how long it took and waited."""

    template: ClassVar[str] = "session/tools.html"
    view: ClassVar[str] = "tools"
    rows: tuple[CallRow, ...] = ()
    say: str = ""


class RawPage(SessionPage, frozen=True, kw_only=True):
    """The lines of the transcript."""

    template: ClassVar[str] = "session/raw.html"
    view: ClassVar[str] = "raw"
    lines: tuple[LineRow, ...] = ()
    one: LineWhole | None = None
    total: int = 0
    before: int = 0  # where the lines before these begin; 0: there are none
    after: int = 0


def phases(found: Iterable[Phase]) -> tuple[tuple[str, ...], ...]:
    """Each phase: its peak, and what its compaction left of it."""
    return tuple(
        (
            str(one.number),
            format_count(one.peak_tokens),
            (one.compaction.trigger or "compacted") if one.compaction else "",
            _tokens(one.compaction.pre_tokens if one.compaction else None),
            _tokens(one.compaction.post_tokens if one.compaction else None),
            _tokens(one.compaction.delta if one.compaction else None),
        )
        for one in found
    )


def _tokens(count: int | None) -> str:
    if count is None:
        return ""
    return f"−{format_count(-count)}" if count < 0 else format_count(count)


def bars(timed: Sequence[Timed]) -> tuple[Bar, ...]:
    """Each at its place between the first start and the last end."""
    steps = [waterfall.Step(one.text, one.start, one.end, one.kind, one.level) for one in timed]
    drawn = waterfall.waterfall(steps).bars
    return tuple(
        Bar(
            id=one.id,
            place=one.place,
            text=one.text,
            level=min(one.level, 4),
            kind=one.kind,
            x=bar.x,
            width=bar.width,
            took=bar.took,
        )
        for one, bar in zip(timed, drawn, strict=True)
    )


def table(timed: Sequence[Timed]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The same in words and numbers."""
    steps = [waterfall.Step(one.text, one.start, one.end) for one in timed]
    made = waterfall.waterfall(steps)
    return made.head, made.rows


def call_rows(executions: Iterable[ToolExecution], around: Around) -> tuple[CallRow, ...]:
    """Calls by their start."""
    return tuple(_call_row(one, around) for one in executions)


def _call_row(one: ToolExecution, around: Around) -> CallRow:
    hook = None if one.hook is UNSET else one.hook
    waited = hook.waited_ms if hook else None
    return CallRow(
        row=calls.row(one, around),
        clock=times.clock(one.start_time, around.zone),
        exact=one.start_time or "",
        state="fail"
        if one.state in _BAD
        else {"ok": "ok", "running": "work"}.get(one.state, "idle"),
        waited=times.duration(waited) if waited else "",
        decision=calls.heard(one),
    )


def said(document: SessionDocument) -> str:
    """How many calls a session made, and how they went."""
    every = document.tool_executions
    waits = (one.hook.waited_ms or 0 for one in every if one.hook is not UNSET)
    waited, bad = sum(waits), sum(one.state in _BAD for one in every)
    parts = (
        plural(len(every), "call"),
        f"{bad} went wrong" if bad else "none went wrong",
        f"waited {times.duration(waited)} for an answer" if waited else "",
    )
    return ", ".join(part for part in parts if part)
