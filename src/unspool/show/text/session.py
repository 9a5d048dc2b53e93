"""A session -> text: header, conversation, footer."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from unspool.model.document import (
    Chunk,
    Compaction,
    Metrics,
    SessionDocument,
    SessionInfo,
    SessionLink,
    SessionMetrics,
    Step,
)
from unspool.show import safe, times
from unspool.show.labels import (
    STATUSES,
    cost_label,
    damage_note,
    is_at_most,
    job_text,
    model_label,
    ownership_notes,
    stop_label,
    title_label,
)
from unspool.show.numbers import format_count, format_usd, plural
from unspool.show.spans import BLANK, Line, Style, ends, fit, indented, wrap
from unspool.show.text.calls import TextContext
from unspool.show.text.layout import Frame, passage
from unspool.show.text.steps import SessionAgents, StepLines
from unspool.show.tools.todo import item

_BOUNDS: Final = {
    (False, False): "",
    (True, False): "at least ",
    (False, True): "at most ",
    (True, True): "about ",
}


def header(document: SessionDocument, frame: Frame) -> Iterator[Line]:
    """Title, facts, status."""
    session, total = document.session, document.metrics.total
    for row in wrap(title_label(session.title or session.goal), frame.edge):
        yield (("strong", row),)
    facts = [
        safe.brief(session.project_label, 80),
        safe.brief(session.git_branch or "", 80),
        ", ".join(map(model_label, session.models or ())) or model_label(session.model),
        _when(session, frame),
        times.duration(session.duration_ms) if session.duration_ms else "",
        cost_label(total),
    ]
    for row in wrap(" · ".join(fact for fact in facts if fact), frame.edge):
        yield (("dim", row),)
    yield _status_line(session, frame)
    yield fit((("dim", _origin(session)),), frame.edge)
    for row in (
        wrap(document.diagnostics.missing, frame.edge) if document.diagnostics.missing else ()
    ):
        yield (("wait", row),)
    yield BLANK


def _when(session: SessionInfo, frame: Frame) -> str:
    return times.lasting(session.start_time, session.end_time, frame.now, frame.zone)


def _status_line(session: SessionInfo, frame: Frame) -> Line:
    state = session.status
    sign = STATUSES[state.state]
    since = times.ago(state.since, frame.now, frame.zone)
    age = f"  {since}" if since else ""
    why = safe.brief(stop_label(state, frame.now, frame.zone))
    line: Line = (
        (sign.style, f"{sign.shape} {sign.phrase}"),
        ("dim", f"{age} ({state.evidence})"),
        ("", f"  {why}" if why else ""),
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


_SPEAKERS: Final = {
    "teammate": "Teammate",
    "notification": "Background task",
    "event": "Event",
    "bash_output": "Output",
    "stdout": "Output",
    "stderr": "Output",
}


class SessionText:
    """Renders a session window by window."""

    def __init__(self, document: SessionDocument, agents: SessionAgents, frame: Frame) -> None:
        self._frame = frame
        self._agents = agents
        self._story = TextContext(frame, document.session.project_path)
        by_chunk = ((phase.last_chunk, phase.compaction) for phase in document.context.phases)
        self._compactions = dict(by_chunk)
        self._last_answer = ""

    def tell(self, document: SessionDocument) -> Iterator[Line]:
        """The chunks of one window."""
        calls = {one.tool_use_id: one for one in document.tool_executions}
        steps = StepLines(calls, self._agents, self._story)
        for chunk in document.chunks:
            yield from self._chunk(chunk, steps)
            yield BLANK

    def _chunk(self, chunk: Chunk, steps: StepLines) -> Iterator[Line]:
        if chunk.branch:
            yield (("dim", f"⑂ branch {chunk.branch}, abandoned by a rewind"),)
        if chunk.type == "ai":
            self._last_answer = chunk.id
            yield self._answer(chunk)
            yield from steps.show(() if chunk.steps is UNSET else chunk.steps)
        elif chunk.type == "compact":
            yield _compacted(self._compactions.get(self._last_answer), chunk, self._frame)
        elif chunk.type == "system":
            yield from self._said("Output", chunk, (4, 4), "dim")
        else:
            yield from self._said(_SPEAKERS.get(chunk.voice, "You"), chunk, (40, 10), "")

    def _said(self, who: str, chunk: Chunk, lines: tuple[int, int], style: Style) -> Iterator[Line]:
        at = times.clock(chunk.start_time, self._frame.zone)
        yield ("strong", who), ("dim", f"  {at}" if at else "")
        text = "" if chunk.text is UNSET else chunk.text
        width = None if self._frame.prose is None else self._frame.prose - 2
        yield from indented(passage(text, width, *lines, style=style), 2)

    def _answer(self, chunk: Chunk) -> Line:
        at = times.between(chunk.start_time, chunk.end_time, self._frame.zone)
        count = _step_count(() if chunk.steps is UNSET else chunk.steps)
        facts = " · ".join(part for part in (at, plural(count, "step")) if part)
        left: Line = (("strong", "Claude"), ("dim", f"  {facts}"))
        if chunk.is_interrupted:
            left = (*left, ("wait", "  interrupted"))
        cost = cost_label(chunk.metrics)
        return ends(left, (("dim", cost),), self._frame.edge)


def _step_count(steps: Sequence[Step]) -> int:
    return sum(step.type != "tool_result" for step in steps)


def _compacted(compaction: Compaction | None, chunk: Chunk, frame: Frame) -> Line:
    at = times.clock(chunk.start_time, frame.zone)
    parts = [f"  {at}"] if at else []
    if compaction and compaction.trigger:
        parts.append(f"  {compaction.trigger}")
    if compaction and compaction.pre_tokens is not None:
        after = "?" if compaction.post_tokens is None else format_count(compaction.post_tokens)
        parts.append(f"  {format_count(compaction.pre_tokens)} → {after} tokens")
    elif compaction and compaction.delta is not None:
        parts.append(f"  {format_count(compaction.delta)} tokens")
    return ("thinking", "‖ Compacted"), ("dim", "".join(parts))


_LABEL = 9
_FILES = 12
_PLAN = (40, 0)  # lines at its beginning and its end


def footer(document: SessionDocument, frame: Frame) -> Iterator[Line]:
    """Tokens, cost, files, links, problems and to-dos."""
    total = document.metrics.total
    yield (("dim", "─" * (frame.prose or 40)),)
    yield from _row("Tokens", _tokens(total), frame)
    yield from _row("Cost", _cost(document), frame)
    for note in _doubts(document.metrics):
        yield from _row("", note, frame)
    yield from _row("Files", _files(document), frame)
    yield from _row("Links", _links(document), frame)
    yield from _row("Job", job_text(document.session.job), frame)
    yield from _row("Problems", damage_note(document.diagnostics), frame)
    yield from _todos(document)
    yield from _plan(document, frame)


def _row(label: str, text: str, frame: Frame) -> Iterator[Line]:
    width = None if frame.edge is None else frame.edge - _LABEL
    for at, row in enumerate(wrap(text, width) if text else ()):
        yield ("dim", "" if at else label), ("", " " * (_LABEL - len("" if at else label)) + row)


def _tokens(total: Metrics) -> str:
    kinds = (
        ("in", total.input_tokens),
        ("out", total.output_tokens),
        ("cache read", total.cache_read_tokens),
        ("cache write", total.cache_creation_tokens),
    )
    return " · ".join(f"{format_count(count)} {kind}" for kind, count in kinds)


def _cost(document: SessionDocument) -> str:
    main, agents, total = (
        document.metrics.main,
        document.metrics.subagents,
        document.metrics.total,
    )
    text = _BOUNDS[total.lower_bound, is_at_most(total)] + format_usd(total.cost_usd)
    if document.subagents:
        count = plural(len(document.subagents), "agent")
        text += f" = {format_usd(main.cost_usd)} main + {format_usd(agents.cost_usd)} by {count}"
    if total.cost_state:
        unknown = " (some model unknown to it)" if total.cost_state.has_unknown_model_cost else ""
        text += f" · Claude Code reports {format_usd(total.cost_state.total_cost_usd)}{unknown}"
    return text


def _doubts(metrics: SessionMetrics) -> Iterator[str]:
    total = metrics.total
    if total.unpriced:
        yield f"no price for {', '.join(map(model_label, total.unpriced))}"
    if total.lower_bound and not metrics.unknown_agents:
        yield "some responses are incomplete on disk: their output is undercounted"
    yield from ownership_notes(metrics)


def _files(document: SessionDocument) -> str:
    project, files = document.session.project_path, document.session.files
    paths = files.modified if files else ()
    near = [path.removeprefix(f"{project}/") if project else path for path in paths]
    if not near:
        return ""
    names = ", ".join(safe.brief(path, 120) for path in near[:_FILES])
    rest = f" and {len(near) - _FILES} more" if len(near) > _FILES else ""
    return f"{len(near)} changed: {names}{rest}"


def _links(document: SessionDocument) -> str:
    links = document.session.links
    related: list[tuple[str, SessionLink | None]] = [
        ("plan from", links.plan),
        ("implemented in", links.implementation),
        ("forked from", links.forked_from),
        ("resumed from", links.resumed_from),
        *(("fork", fork) for fork in links.forks),
    ]
    links_text = [f"{name} {safe.brief(link.session_id, 128)}" for name, link in related if link]
    pulls = (pull.url or f"#{pull.number}" for pull in document.session.pull_requests or ())
    if document.session.plan_file:
        links_text.append(f"plan file {safe.brief(document.session.plan_file, 300)}")
    return " · ".join([*links_text, *(f"pull request {safe.brief(pull, 200)}" for pull in pulls)])


def _plan(document: SessionDocument, frame: Frame) -> Iterator[Line]:
    """Its first lines: the file has all of them."""
    text = document.session.plan_text
    if text:
        yield (("dim", "Plan"),)
        width = None if frame.prose is None else frame.prose - 2
        yield from indented(passage(text, width, *_PLAN), 2)


def _todos(document: SessionDocument) -> Iterator[Line]:
    for at, todo in enumerate(document.session.shown_todos):
        label = "" if at else "Todos"
        yield ("dim", label), ("", " " * (_LABEL - len(label))), *item(todo.status, todo.content)
