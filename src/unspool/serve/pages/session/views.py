"""The other views of a session: its context, its bars, its calls, its lines."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from unspool.derive.reading.clock import millis
from unspool.derive.story.waterfall import Bar, waterfall
from unspool.engine.archive import text_of
from unspool.model.document import SessionDocument
from unspool.serve.pages.session.opened import Read
from unspool.serve.pages.session.story import Asked, placed
from unspool.serve.pages.session.windows import Plan, plan
from unspool.show.charts.context import context
from unspool.show.html import call_items
from unspool.show.html import session_views as pages
from unspool.show.html.render import Page
from unspool.show.html.render_context import render_context
from unspool.show.html.session_page import frame_fields, sample_context
from unspool.show.html.shell import Shell
from unspool.show.labels import title_label
from unspool.show.numbers import format_count
from unspool.show.text.calls import TextContext
from unspool.show.text.layout import Frame
from unspool.show.tools import registry

_LINES: Final = 60
_TURNS: Final = 300
_PREVIEW: Final = 240
_LONGEST: Final = 200_000
_WORDS: Final = {"user": "You", "ai": "Claude", "system": "Output", "compact": "Compaction"}


class _Type(msgspec.Struct):
    type: str = ""
    subtype: str = ""


def page(read: Read, shell: Shell, view: str, asked: Asked) -> Page:
    """One of the views, at the reader's place."""
    place = placed(read, asked.at)
    first = place.chunk if place else asked.first
    wanted = {place.chunk: place.slab} if place else None
    made = plan(read.session, first, wanted=wanted)
    frame = frame_fields(read.whole, shell, read.reader(), read.spot(at=asked.at), made.window)
    marks = read.desk.marks.of(read.project, read.id)
    kept = {"at": asked.at} if asked.at else {"from": str(made.window.first or "")}
    frame |= {"window": made.window, "place": kept, "pinned": marks.pinned, "seq": read.seq}
    if view == "raw":
        near = asked.start or (place.line if place else _line_of(read, made))
        return _raw(read, frame, asked.line, near)
    return _VIEWS[view](read, frame, made)


def _context(read: Read, frame: dict[str, Any], made: Plan) -> Page:
    found = read.whole
    few = sample_context(found.document.context, _TURNS)
    chart = context(few, found.limit, "l") if found.context else None
    rows = pages.phase_rows(found.document.context.phases)
    return pages.ContextPage(**frame, chart=chart, phases=rows)


def _waterfall(read: Read, frame: dict[str, Any], made: Plan) -> Page:
    document, _ = read.document(made)
    timed = tuple(_timed(document))
    return pages.WaterfallPage(
        **frame, bars=pages.waterfall_rows(timed), table=pages.waterfall_table(timed)
    )


def _timed(document: SessionDocument) -> Iterator[pages.TimedItem]:
    """What happened in a window; of agents those that were started in it."""
    project = TextContext(Frame(None, 0), document.session.project_path)
    shown = {step.agent_id for chunk in document.chunks if chunk.steps for step in chunk.steps}
    agents = [one for one in document.subagents if one.id in shown]
    once = {chunk.id: chunk for chunk in document.chunks}
    states = {one.tool_use_id: one for one in document.tool_executions}
    for bar in waterfall(tuple(once.values()), document.tool_executions, agents).items:
        start, call = millis(bar.start_time) or 0, states.get(bar.id)
        kind = bar.type if call is None else _kind(call.state)
        text = _label(bar)
        if call is not None:
            told = registry.summary(call.name, call_items.call_input(call), None)
            text = f"{registry.label(call.name)} {project.relative(told)}"
        yield pages.TimedItem(
            id=bar.id,
            place=f"chunk-{bar.id}" if bar.type == "chunk" else f"step-{bar.id}",
            text=title_label(text),
            kind=kind,
            level=bar.level,
            start=start,
            end=millis(bar.end_time) or start + bar.duration_ms,
        )


def _kind(state: str) -> str:
    return {"ok": "tool", "running": "run", "no_result": "tool"}.get(state, "bad")


def _label(bar: Bar) -> str:
    return _WORDS.get(bar.label, bar.label) if bar.type == "chunk" else f"Agent {bar.label}"


def _tools(read: Read, frame: dict[str, Any], made: Plan) -> Page:
    document, _ = read.document(made)
    rows = pages.call_rows(document.tool_executions, render_context(document, read.reader()))
    summary = pages.calls_summary(read.whole.document)
    return pages.SessionToolsPage(**frame, rows=rows, summary=summary)


def _line_of(read: Read, made: Plan) -> int:
    spans = read.session.fold.chunks.spans
    return spans[made.window.first].first.line if spans and made.window.first else 1


def _raw(read: Read, frame: dict[str, Any], line: int, near: int) -> Page:
    numbers = read.session.fold.numbers
    begin = max(bisect_right(numbers, line - 2 if line else near) - 1, 0)
    end = begin + _LINES
    return pages.RawPage(
        **frame,
        lines=tuple(_rows(read, numbers[begin:end])),
        one=_whole(read, line) if line in numbers else None,
        total=len(numbers),
        before=numbers[max(begin - _LINES, 0)] if begin else 0,
        after=numbers[end] if end < len(numbers) else 0,
    )


def _rows(read: Read, numbers: Sequence[int]) -> Iterator[pages.RawLineRow]:
    redactor, fold = read.desk.around.redactor, read.session.fold
    found = read.session.raw(numbers[0], numbers[-1]) if numbers else ()
    for number, data in zip(numbers, found, strict=True):
        clean = redactor.json(data)
        yield pages.RawLineRow(
            number=number,
            type=_type(clean),
            preview=" ".join((text_of(clean) or _told(clean))[:_PREVIEW].split()),
            size=f"{format_count(fold.place(number)[1])}B",
        )


def _told(data: bytes) -> str:
    return data[: 4 * _PREVIEW].decode("utf-8", "replace")


def _type(data: bytes) -> str:
    try:
        found = msgspec.json.decode(data, type=_Type)
    except (ValueError, RecursionError):
        return "unreadable"
    return " ".join(filter(None, (found.type, found.subtype))) or "no type"


def _whole(read: Read, line: int) -> pages.RawLineView:
    found = read.desk.reading.raw(read.session, line)
    return pages.RawLineView(
        number=line,
        event=found.event_id or "",
        state=found.state,
        size=f"{format_count(found.length)}B",
        pretty=_pretty(found.text),
        text=found.text[:_LONGEST],
        is_cut=found.is_cut or len(found.text) > _LONGEST,
    )


def _pretty(text: str) -> str:
    try:
        return msgspec.json.format(text, indent=2)[:_LONGEST]
    except (ValueError, RecursionError):
        return ""


_VIEWS: Final[dict[str, Callable[[Read, dict[str, Any], Plan], Page]]] = {
    "context": _context,
    "waterfall": _waterfall,
    "tools": _tools,
}
