"""Tables of sessions, turns and transcript lines."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unspool.model.document import LineRow, Turn
from unspool.model.session import SessionSummary
from unspool.show import safe, times
from unspool.show.labels import STATUSES, cost_label, model_label, title_label
from unspool.show.numbers import format_count
from unspool.show.spans import Line, Span, Style, fit, pad
from unspool.show.text.layout import Frame, TableColumn, table

_SESSION_COLUMNS = (
    TableColumn("SESSION"),
    TableColumn("WHEN"),
    TableColumn("PROJECT", drop=1, most=18),
    TableColumn("TITLE", flex=True),
    TableColumn("STATUS"),
    TableColumn("LENGTH", right=True, drop=4),
    TableColumn("COST", right=True),
    TableColumn("TOKENS", right=True, drop=5),
    TableColumn("AGENTS", right=True, drop=3),
    TableColumn("MARKS", drop=2),
)
_ID = 8
_ROOMY = 100


def session_table(sessions: Sequence[SessionSummary], frame: Frame) -> list[Line]:
    """One row per session, in the given order."""
    return table(_SESSION_COLUMNS, [_session_row(one, frame) for one in sessions], frame.width)


def _session_row(one: SessionSummary, frame: Frame) -> list[Span]:
    session, total = one.session, one.metrics
    sign = STATUSES[session.status.state]
    when = times.ago(one.last_activity or session.start_time, frame.now, frame.zone)
    until = ""
    if frame.width is None or frame.width >= _ROOMY:  # not at the cost of another column
        until = times.coming(session.status.until, frame.now, frame.zone)
    cost = cost_label(total)
    return [
        ("dim", safe.brief(session.id[:_ID] if frame.width else session.id)),
        ("", when),
        ("", safe.brief(session.project_label, 80)),
        ("strong", title_label(session.title or session.goal)),
        (sign.style, f"{sign.shape} {sign.word}{f' until {until}' if until else ''}"),
        ("", times.duration(session.duration_ms) if session.duration_ms else ""),
        ("", f"{cost} +?" if total.unpriced and total.cost_usd is not None else cost),
        ("dim", format_count(total.total_tokens)),
        ("dim", str(one.agents or "")),
        ("dim", _marks(one)),
    ]


def _marks(one: SessionSummary) -> str:
    marks = [f"‖{one.compactions}"] * bool(one.compactions)
    marks += ["▸plan"] * bool(one.session.links.implementation)
    marks += ["⑂fork"] * bool(one.session.links.forked_from)
    marks += ["⌫gone"] * one.source_gone
    return " ".join(marks)


_TURN_COLUMNS = (
    TableColumn("#", right=True),
    TableColumn("WHEN"),
    TableColumn("LENGTH", right=True, drop=2),
    TableColumn("TOOLS", right=True, drop=3),
    TableColumn("TOKENS", right=True, drop=4),
    TableColumn("COST", right=True),
    TableColumn("PROMPT", flex=True),
    TableColumn("MODEL", drop=5, most=24),
    TableColumn("END", drop=1, most=16),
)


def turn_table(turns: Sequence[Turn], frame: Frame) -> list[Line]:
    """One row per turn."""
    return table(_TURN_COLUMNS, [_turn_row(turn, frame) for turn in turns], frame.width)


def _turn_row(turn: Turn, frame: Frame) -> list[Span]:
    spent = turn.duration_ms if turn.reported_duration_ms is None else turn.reported_duration_ms
    return [
        ("dim", str(turn.index)),
        ("", times.clock(turn.start_time, frame.zone)),
        ("", times.duration(spent)),
        ("dim", str(turn.tool_calls or "")),
        ("dim", format_count(turn.metrics.total_tokens)),
        ("", cost_label(turn.metrics)),
        ("strong", safe.brief(turn.prompt) or "…"),
        ("dim", ", ".join(map(model_label, turn.models))),
        ("dim", safe.brief(turn.stop_reason, 40)),
    ]


_STATES: Final[dict[str, Style]] = {
    "entry": "",
    "unknown": "wait",
    "salvaged": "wait",
    "bad": "bad",
    "oversize": "bad",
}
_KIND, _CATEGORY = 24, 7


def line_table(lines: Iterable[LineRow], frame: Frame) -> Iterator[Line]:
    """One row per transcript line."""
    yield fit((("dim", _line_heading()),), frame.width)
    for line in lines:
        yield fit(_line_row(line, frame), frame.width)


def _line_heading() -> str:
    places = f"{'LINE':>7} {'OFFSET':>11} {'BYTES':>9}  {'TIME':<8}  "
    return f"{places}{'TYPE':<{_KIND}}  {'AS':<{_CATEGORY}}  PREVIEW"


def _line_row(line: LineRow, frame: Frame) -> Line:
    at = times.moment(line.timestamp, frame.zone)
    state = _STATES.get(line.state, "")
    kind = safe.brief(f"{line.type}/{line.subtype}" if line.subtype else line.type, 60)
    label = kind if line.state == "entry" else f"{line.state} {kind}".strip()
    return (
        ("dim", f"{line.number:>7} {line.offset:>11} {line.length:>9}  "),
        ("dim", f"{at:%H:%M:%S}  " if at else " " * 10),
        (state, pad(label, _KIND)),
        ("dim", f"  {pad(line.category, _CATEGORY)}  "),
        ("", safe.brief(line.preview)),
    )
