"""A session -> its first lines: what it is about, where, when, and how it stands."""

from collections.abc import Iterator

from unspool.model.document import SessionDocument, SessionInfo
from unspool.show import safe, times
from unspool.show.money import format_usd
from unspool.show.names import STATUSES, model, title
from unspool.show.spans import BLANK, Line, fit, wrap
from unspool.show.text.frame import Frame


def header(document: SessionDocument, frame: Frame) -> Iterator[Line]:
    """Title, facts, status."""
    session, total = document.session, document.metrics.total
    for row in wrap(title(session.title or session.goal), frame.edge):
        yield (("strong", row),)
    facts = [
        safe.brief(session.project_name or session.project_id, 80),
        safe.brief(session.git_branch or "", 80),
        ", ".join(map(model, session.models or ())) or model(session.model),
        _when(session, frame),
        times.duration(session.duration_ms) if session.duration_ms else "",
        format_usd(total.cost_usd, at_least=total.lower_bound),
    ]
    for row in wrap(" · ".join(fact for fact in facts if fact), frame.edge):
        yield (("dim", row),)
    yield _status(session, frame)
    yield fit((("dim", _origin(session)),), frame.edge)
    for row in (
        wrap(document.diagnostics.missing, frame.edge) if document.diagnostics.missing else ()
    ):
        yield (("wait", row),)
    yield BLANK


def _when(session: SessionInfo, frame: Frame) -> str:
    return times.lasting(session.start_time, session.end_time, frame.now, frame.zone)


def _status(session: SessionInfo, frame: Frame) -> Line:
    state = session.status
    sign = STATUSES[state.state]
    since = times.ago(state.since, frame.now, frame.zone)
    known = f"  {since}" if since else ""
    line: Line = (
        (sign.style, f"{sign.shape} {sign.phrase}"),
        ("dim", f"{known} ({state.evidence})"),
    )
    if session.pending_tool and state.state in ("waiting_for_approval", "working"):
        tool = session.pending_tool
        line = (
            *line,
            ("strong", f"  {safe.brief(tool.name, 40)}"),
            ("", f"  {safe.brief(tool.summary)}"),
        )
    return fit(line, frame.edge)


def _origin(session: SessionInfo) -> str:
    version = f"Claude Code {session.version}" if session.version else ""
    kind = "agent" if session.is_subagent else "session"
    parts = (f"{kind} {session.id}", version, session.entrypoint)
    return " · ".join(safe.brief(part, 128) for part in parts if part)
