"""The other views of a session: context, waterfall, tool calls, raw lines."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from unspool.derive.reading.clock import millis
from unspool.derive.story.waterfall import Bar, waterfall
from unspool.engine.archive.reader import text_of
from unspool.engine.sessions.views import raw_line
from unspool.json_depth import shallow
from unspool.model.document import SessionDocument
from unspool.serve.pages.session.source import PageSource
from unspool.serve.pages.session.story import PageQuery, locate
from unspool.serve.pages.session.windows import Plan, plan_window
from unspool.show.html import call_items
from unspool.show.html import session_views as pages
from unspool.show.html.render import Page
from unspool.show.html.render_context import render_context
from unspool.show.html.session_page import frame_fields, session_context
from unspool.show.html.shell import Shell
from unspool.show.labels import title_label
from unspool.show.numbers import format_count
from unspool.show.text.calls import TextContext
from unspool.show.text.layout import Frame
from unspool.show.tools import registry
from unspool.show.tools.values import pretty_json

_LINES: Final = 60
_PREVIEW: Final = 240
_LONGEST: Final = 200_000
_WORDS: Final = {"user": "You", "ai": "Claude", "system": "Output", "compact": "Compaction"}


class _Type(msgspec.Struct):
    type: str = ""
    subtype: str = ""


def page(source: PageSource, shell: Shell, view: str, query: PageQuery) -> Page:
    """One of the views, at the reader's place."""
    place = locate(source, query.at)
    first = place.chunk if place else query.first
    targets = {place.chunk: place.slab} if place else None
    plan = plan_window(source.session, first, targets=targets)
    frame = frame_fields(
        source.overview, shell, source.reader(), source.spot(at=query.at), plan.window
    )
    marks = source.context.marks.of(source.project, source.id)
    place_query = {"at": query.at} if query.at else {"chunk": str(plan.window.first or "")}
    frame |= {
        "window": plan.window,
        "place": place_query,
        "pinned": marks.pinned,
        **source.feed,
    }
    if view == "raw":
        near = query.start or (place.line if place else _line_of(source, plan))
        return _raw(source, frame, query.line, near)
    return _VIEWS[view](source, frame, plan)


def _context(source: PageSource, frame: dict[str, Any], plan: Plan) -> Page:
    found = source.overview
    chart = session_context(found, "l")
    rows = pages.phase_rows(found.document.context.phases)
    return pages.ContextPage(**frame, chart=chart, phases=rows)


def _waterfall(source: PageSource, frame: dict[str, Any], plan: Plan) -> Page:
    document, _ = source.document(plan)
    timed = tuple(_timed(document))
    return pages.WaterfallPage(**frame, **pages.waterfall_fields(timed, source.reader().zone))


def _timed(document: SessionDocument) -> Iterator[pages.TimedItem]:
    """What happened in a window; of agents those that were started in it."""
    project = TextContext(Frame(None, 0), document.session.project_path)
    shown = {step.agent_id for chunk in document.chunks if chunk.steps for step in chunk.steps}
    agents = [one for one in document.subagents if one.id in shown]
    once = {chunk.id: chunk for chunk in document.chunks}
    states = {one.tool_use_id: one for one in document.tool_executions}
    started = {agent.parent_task_id for agent in agents}
    for bar in waterfall(tuple(once.values()), document.tool_executions, agents).items:
        if bar.id in started:
            continue  # its agent is drawn
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


def _tools(source: PageSource, frame: dict[str, Any], plan: Plan) -> Page:
    document, _ = source.document(plan)
    rows = pages.call_rows(document.tool_executions, render_context(document, source.reader()))
    summary = pages.calls_summary(source.overview.document)
    return pages.SessionToolsPage(**frame, rows=rows, summary=summary)


def _line_of(source: PageSource, plan: Plan) -> int:
    spans = source.session.fold.chunks.spans
    return spans[plan.window.first].first.line if spans and plan.window.first else 1


def _raw(source: PageSource, frame: dict[str, Any], line: int, near: int) -> Page:
    numbers = source.session.fold.numbers
    begin = max(bisect_right(numbers, line - 2 if line else near) - 1, 0)
    end = begin + _LINES
    return pages.RawPage(
        **frame,
        lines=tuple(_rows(source, numbers[begin:end])),
        one=_whole(source, line) if line in numbers else None,
        total=len(numbers),
        before=numbers[max(begin - _LINES, 0)] if begin else 0,
        after=numbers[end] if end < len(numbers) else 0,
    )


def _rows(source: PageSource, numbers: Sequence[int]) -> Iterator[pages.RawLineRow]:
    redactor, fold = source.context.redactor, source.session.fold
    found = source.session.raw(numbers[0], numbers[-1]) if numbers else ()
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
        found = msgspec.json.decode(shallow(data), type=_Type)
    except (ValueError, RecursionError):
        return "unreadable"
    return " ".join(filter(None, (found.type, found.subtype))) or "no type"


def _whole(source: PageSource, line: int) -> pages.RawLineView:
    found = raw_line(source.session, line, source.context.lines, source.context.redactor)
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
        return pretty_json(msgspec.json.decode(shallow(text.encode())), _LONGEST)
    except (ValueError, RecursionError):
        return ""


_VIEWS: Final[dict[str, Callable[[PageSource, dict[str, Any], Plan], Page]]] = {
    "context": _context,
    "waterfall": _waterfall,
    "tools": _tools,
}
