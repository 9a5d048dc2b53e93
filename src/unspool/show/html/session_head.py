"""The head of a session page: title, status, figures, related sessions."""

from collections.abc import Iterator

from msgspec import Struct, structs

from unspool.model.document import (
    Metrics,
    SessionDocument,
    SessionInfo,
    SessionMetrics,
    TotalMetrics,
)
from unspool.show import labels, safe, times
from unspool.show.html.components import (
    EVIDENCE_LABELS,
    STATUS_KINDS,
    Number,
    cost_number,
    token_number,
    total_number,
)
from unspool.show.html.render_context import ReaderOptions
from unspool.show.html.step_types import RelatedSession
from unspool.show.numbers import format_count, plural


class PendingCall(Struct, frozen=True, kw_only=True):
    """The call that waits for approval."""

    step: str
    what: str
    proof: str


class SessionHead(Struct, frozen=True, kw_only=True):
    """The first lines of a session's page."""

    title: str
    project: str
    branch: str = ""
    status: str  # its kind, which is its shape and colour
    status_label: str
    proof: str = ""
    facts: tuple[Number, ...] = ()
    origin: str = ""
    missing: str = ""  # what of the session is not on this machine, in a sentence
    waiting: PendingCall | None = None
    parent: str = ""  # of an agent, the session it belongs to
    resume: str = ""  # what to type to go on with it
    leads: tuple[RelatedSession, ...] = ()


def session_head(document: SessionDocument, reader: ReaderOptions) -> SessionHead:
    """Title, place, facts, status."""
    session = document.session
    status = session.status
    since = times.ago(status.since, reader.now, reader.zone)
    why = labels.stop_label(status, reader.now, reader.zone)
    word = why or labels.STATUSES[status.state].phrase
    word = word[:1].upper() + word[1:]
    return SessionHead(
        title=labels.title_label(session.title or session.goal),
        project=safe.brief(session.project_label, 80),
        branch=safe.brief(session.git_branch or "", 120),
        status=STATUS_KINDS[status.state],
        status_label=f"{word}, {since}" if since and status.state != "ended" else word,
        proof=f"Status {EVIDENCE_LABELS[status.evidence]}.",
        facts=tuple(fact for fact in _facts(document, reader) if fact),
        origin=_origin(session),
        missing=document.diagnostics.missing,
        waiting=_waiting(session),
        resume="" if session.is_subagent else f"claude --resume {session.id}",
        leads=tuple(_leads(session)),
    )


def loading_head(session: SessionInfo, metrics: TotalMetrics, reader: ReaderOptions) -> SessionHead:
    """The head of a session that is still loading, from the index."""
    bare = SessionDocument(session=session, metrics=SessionMetrics(Metrics(), Metrics(), metrics))
    facts = (*_when(session, reader), cost_number(metrics), token_number(metrics))
    return structs.replace(
        session_head(bare, reader),
        status="idle",
        status_label="Loading",
        proof="Figures come from the index until the transcript is loaded.",
        facts=tuple(fact for fact in facts if fact),
    )


def _leads(session: SessionInfo) -> Iterator[RelatedSession]:
    links = session.links
    related = (
        ("Plan from", links.plan),
        ("Implemented in", links.implementation),
        ("Forked from", links.forked_from),
        ("Resumed from", links.resumed_from),
    )
    for text, link in related:
        if link:
            sure = "" if link.confidence >= 1 else f", {link.confidence:.0%} sure"
            yield RelatedSession(text, link.session_id, f"{safe.brief(link.reason, 80)}{sure}")


def _when(session: SessionInfo, reader: ReaderOptions) -> list[Number]:
    models = ", ".join(map(labels.model_label, session.models or ())) or labels.model_label(
        session.model
    )
    when = times.lasting(session.start_time, session.end_time, reader.now, reader.zone)
    lasted = times.duration(session.duration_ms) if session.duration_ms else ""
    return [
        Number(models),
        Number(when, f"From {session.start_time} to {session.end_time}."),
        Number(lasted, "From the first line to the last, pauses included."),
    ]


def _facts(document: SessionDocument, reader: ReaderOptions) -> list[Number]:
    metrics = document.metrics
    turns = plural(len(document.turns), "turn") if document.turns else ""
    return [
        *_when(document.session, reader),
        Number(turns, "Prompts with their answers."),
        total_number(metrics.total, metrics.main, metrics.subagents),
        token_number(metrics.total),
        _context(document),
    ]


def _context(document: SessionDocument) -> Number:
    """The context of the last answer, on whichever branch."""
    measured = next((one.measured for one in reversed(document.context.turns) if one.measured), 0)
    why = "Input tokens of the last answer: uncached, cache writes and cache reads."
    return Number(f"context {format_count(measured)}" if measured else "", why)


def _origin(session: SessionInfo) -> str:
    version = f"Claude Code {session.version}" if session.version else ""
    kind = "agent" if session.is_subagent else "session"
    parts = (f"{kind} {session.id}", version, session.entrypoint)
    return " · ".join(safe.brief(part, 128) for part in parts if part)


def _waiting(session: SessionInfo) -> PendingCall | None:
    tool = session.pending_tool
    if session.status.state != "waiting_for_approval" or tool is None:
        return None
    what = safe.brief(tool.summary) or safe.brief(tool.name, 60)
    proof = f"{safe.brief(tool.name, 60)}, {EVIDENCE_LABELS[session.status.evidence]}"
    return PendingCall(step=tool.tool_use_id, what=what, proof=proof)
