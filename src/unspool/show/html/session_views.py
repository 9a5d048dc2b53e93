"""The other views of a session: context, waterfall, tool calls, raw lines."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from msgspec import UNSET, Struct

from unspool.model.document import Phase, SessionDocument, ToolExecution
from unspool.show import times
from unspool.show.charts import waterfall
from unspool.show.charts.context import ContextChart
from unspool.show.html import call_items
from unspool.show.html.render_context import RenderContext
from unspool.show.html.session_page import SessionPage
from unspool.show.html.step_types import CallItem
from unspool.show.numbers import format_count, plural

_BAD: Final = ("error", "rejected", "interrupted")


class WaterfallRow(Struct, frozen=True, kw_only=True):
    """Something that took time; `place` is its element on the page of the story."""

    id: str
    place: str
    text: str
    level: int
    kind: str
    x: float
    width: float
    took: str


class TimedItem(Struct, frozen=True, kw_only=True):
    """Something that took time, before it is drawn."""

    id: str
    place: str
    text: str
    kind: str
    level: int
    start: int
    end: int


class ToolCallRow(Struct, frozen=True, kw_only=True):
    """One call in the table of calls."""

    row: CallItem
    clock: str
    exact: str
    state: str
    waited: str
    decision: str


class RawLineRow(Struct, frozen=True, kw_only=True):
    """One line of the transcript."""

    number: int
    type: str
    preview: str
    size: str


class RawLine(Struct, frozen=True, kw_only=True):
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
    bars: tuple[WaterfallRow, ...] = ()
    table: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] = ((), ())
    spans: str = ""


class SessionToolsPage(SessionPage, frozen=True, kw_only=True):
    """Every call: how it went, how long it took and waited."""

    template: ClassVar[str] = "session/tools.html"
    view: ClassVar[str] = "tools"
    rows: tuple[ToolCallRow, ...] = ()
    say: str = ""


class RawPage(SessionPage, frozen=True, kw_only=True):
    """The lines of the transcript."""

    template: ClassVar[str] = "session/raw.html"
    view: ClassVar[str] = "raw"
    lines: tuple[RawLineRow, ...] = ()
    one: RawLine | None = None
    total: int = 0
    before: int = 0  # where the lines before these begin; 0: there are none
    after: int = 0


def phase_rows(found: Iterable[Phase]) -> tuple[tuple[str, ...], ...]:
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


def waterfall_rows(timed: Sequence[TimedItem]) -> tuple[WaterfallRow, ...]:
    """Each at its place between the first start and the last end."""
    steps = [
        waterfall.WaterfallStep(one.text, one.start, one.end, one.kind, one.level) for one in timed
    ]
    drawn = waterfall.waterfall(steps).bars
    return tuple(
        WaterfallRow(
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


def waterfall_table(
    timed: Sequence[TimedItem],
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The same in words and numbers."""
    steps = [waterfall.WaterfallStep(one.text, one.start, one.end) for one in timed]
    made = waterfall.waterfall(steps)
    return made.head, made.rows


def call_rows(
    executions: Iterable[ToolExecution], around: RenderContext
) -> tuple[ToolCallRow, ...]:
    """Calls by their start."""
    return tuple(_call_row(one, around) for one in executions)


def _call_row(one: ToolExecution, around: RenderContext) -> ToolCallRow:
    hook = None if one.hook is UNSET else one.hook
    waited = hook.waited_ms if hook else None
    return ToolCallRow(
        row=call_items.call_item(one, around),
        clock=times.clock(one.start_time, around.zone),
        exact=one.start_time or "",
        state="fail"
        if one.state in _BAD
        else {"ok": "ok", "running": "work"}.get(one.state, "idle"),
        waited=times.duration(waited) if waited else "",
        decision=call_items.hook_note(one),
    )


def calls_summary(document: SessionDocument) -> str:
    """How many calls a session made, and how they went."""
    every = document.tool_executions
    waits = (one.hook.waited_ms or 0 for one in every if one.hook is not UNSET)
    waited, bad = sum(waits), sum(one.state in _BAD for one in every)
    parts = (
        plural(len(every), "call"),
        f"{bad} failed" if bad else "no failures",
        f"waited {times.duration(waited)} for approval" if waited else "",
    )
    return ", ".join(part for part in parts if part)
