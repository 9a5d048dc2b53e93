"""The other views of a session: context, waterfall, tool calls, raw lines."""

from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import Any, ClassVar, Final

from msgspec import UNSET, Struct

from unspool.model.document import Phase, SessionDocument, ToolExecution
from unspool.show import times
from unspool.show.charts import waterfall
from unspool.show.charts.context import ContextChart
from unspool.show.charts.time_axis import Tick
from unspool.show.html import call_items
from unspool.show.html.render_context import RenderContext
from unspool.show.html.session_page import SessionPage
from unspool.show.html.step_types import CallItem
from unspool.show.numbers import format_count, plural

_BAD: Final = ("error", "rejected", "interrupted")


class WaterfallRow(Struct, frozen=True, kw_only=True):
    """A bar of the waterfall; `place` is its element on the conversation page."""

    id: str
    place: str
    text: str
    level: int
    kind: str
    x: float
    width: float
    took: str
    when: str


class TimedItem(Struct, frozen=True, kw_only=True):
    """A step with its start and end, before layout."""

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


class RawLineView(Struct, frozen=True, kw_only=True):
    """One raw line, with formatted JSON."""

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
    """Answers, calls and agents over time."""

    template: ClassVar[str] = "session/waterfall.html"
    view: ClassVar[str] = "waterfall"
    bars: tuple[WaterfallRow, ...] = ()
    times: tuple[Tick, ...] = ()
    table: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] = ((), ())


class SessionToolsPage(SessionPage, frozen=True, kw_only=True):
    """Every call with its result, duration and approval wait."""

    template: ClassVar[str] = "session/tools.html"
    view: ClassVar[str] = "tools"
    rows: tuple[ToolCallRow, ...] = ()
    summary: str = ""


class RawPage(SessionPage, frozen=True, kw_only=True):
    """The lines of the transcript."""

    template: ClassVar[str] = "session/raw.html"
    view: ClassVar[str] = "raw"
    lines: tuple[RawLineRow, ...] = ()
    one: RawLineView | None = None
    total: int = 0
    before: int = 0  # where the lines before these begin; 0: there are none
    after: int = 0


def phase_rows(phases: Iterable[Phase]) -> tuple[tuple[str, ...], ...]:
    """Each phase: peak, compaction, tokens before and after."""
    return tuple(
        (
            str(one.number),
            format_count(one.peak_tokens),
            (one.compaction.trigger or "compacted") if one.compaction else "",
            _tokens(one.compaction.pre_tokens if one.compaction else None),
            _tokens(one.compaction.post_tokens if one.compaction else None),
            _tokens(one.compaction.delta if one.compaction else None),
        )
        for one in phases
    )


def _tokens(count: int | None) -> str:
    if count is None:
        return ""
    return f"−{format_count(-count)}" if count < 0 else format_count(count)


def waterfall_fields(timed: Sequence[TimedItem], zone: tzinfo | None = None) -> dict[str, Any]:
    """The fields of a waterfall page: its bars, its axis, and the same as a table."""
    steps = [
        waterfall.WaterfallStep(one.text, one.start, one.end, one.kind, one.level) for one in timed
    ]
    chart = waterfall.waterfall(steps, zone=zone)
    rows = (
        WaterfallRow(
            id=one.id,
            place=one.place,
            text=one.text,
            level=min(one.level, 4),
            kind=one.kind,
            x=bar.x,
            width=bar.width,
            took=bar.took,
            when=bar.when,
        )
        for one, bar in zip(timed, chart.bars, strict=True)
    )
    return {"bars": tuple(rows), "times": chart.ticks, "table": (chart.head, chart.rows)}


def call_rows(
    executions: Iterable[ToolExecution], context: RenderContext
) -> tuple[ToolCallRow, ...]:
    """Calls in their order."""
    return tuple(_call_row(one, context) for one in executions)


def _call_row(one: ToolExecution, context: RenderContext) -> ToolCallRow:
    hook = None if one.hook is UNSET else one.hook
    waited = hook.waited_ms if hook else None
    return ToolCallRow(
        row=call_items.call_item(one, context),
        clock=times.clock(one.start_time, context.zone),
        exact=one.start_time or "",
        state="fail"
        if one.state in _BAD
        else {"ok": "ok", "running": "work"}.get(one.state, "idle"),
        waited=times.duration(waited) if waited else "",
        decision=call_items.hook_note(one),
    )


def calls_summary(document: SessionDocument) -> str:
    """How many calls, how many failed, how long they waited."""
    every = document.tool_executions
    waits = (one.hook.waited_ms or 0 for one in every if one.hook is not UNSET)
    waited, bad = sum(waits), sum(one.state in _BAD for one in every)
    parts = (
        plural(len(every), "call"),
        f"{bad} failed" if bad else "no failures",
        f"waited {times.duration(waited)} for approval" if waited else "",
    )
    return ", ".join(part for part in parts if part)
