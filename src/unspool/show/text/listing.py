"""Sessions -> a table: when, where, what, how it stands, what it cost."""

from collections.abc import Sequence

from unspool.model.session import SessionSummary
from unspool.show import safe, times
from unspool.show.money import format_count, format_usd
from unspool.show.names import STATUSES, title
from unspool.show.spans import Line, Span
from unspool.show.text.frame import Frame
from unspool.show.text.table import Column, table

_COLUMNS = (
    Column("SESSION"),
    Column("WHEN"),
    Column("PROJECT", drop=1, most=18),
    Column("TITLE", flex=True),
    Column("STATUS"),
    Column("LENGTH", right=True, drop=4),
    Column("COST", right=True),
    Column("TOKENS", right=True, drop=5),
    Column("AGENTS", right=True, drop=3),
    Column("MARKS", drop=2),
)
_ID = 8


def listing(sessions: Sequence[SessionSummary], frame: Frame) -> list[Line]:
    """One row a session, in the order given."""
    return table(_COLUMNS, [_row(one, frame) for one in sessions], frame.width)


def _row(one: SessionSummary, frame: Frame) -> list[Span]:
    session, total = one.session, one.metrics
    sign = STATUSES[session.status.state]
    when = times.ago(one.last_activity or session.start_time, frame.now, frame.zone)
    cost = format_usd(total.cost_usd, at_least=total.lower_bound)
    return [
        ("dim", safe.brief(session.id[:_ID] if frame.width else session.id)),
        ("", when),
        ("", safe.brief(session.project_name or session.project_id, 80)),
        ("strong", title(session.title or session.goal)),
        (sign.style, f"{sign.shape} {sign.word}"),
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
