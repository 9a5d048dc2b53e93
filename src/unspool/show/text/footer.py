"""A session -> its last lines: what was used, what it cost and how we know, what is left."""

from collections.abc import Iterator

from unspool.model.document import Metrics, SessionDocument, SessionLink, SessionMetrics
from unspool.show import safe
from unspool.show.damage import damage, ownership
from unspool.show.money import format_count, format_usd, plural
from unspool.show.names import model
from unspool.show.spans import Line, wrap
from unspool.show.text.frame import Frame
from unspool.show.tools.todo import item

_LABEL = 9
_FILES = 12


def footer(document: SessionDocument, frame: Frame) -> Iterator[Line]:
    """Tokens, cost, and what is worth a line beside them."""
    total = document.metrics.total
    yield (("dim", "─" * (frame.prose or 40)),)
    yield from _row("Tokens", _tokens(total), frame)
    yield from _row("Cost", _cost(document), frame)
    for note in _doubts(document.metrics):
        yield from _row("", note, frame)
    yield from _row("Files", _files(document), frame)
    yield from _row("Links", _links(document), frame)
    yield from _row("Damage", damage(document.diagnostics), frame)
    yield from _todos(document)


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
    sum = format_usd(total.cost_usd)
    text = f"at least {sum}" if total.lower_bound else sum
    if total.ownership != "exact" and not total.lower_bound:
        text = f"at most {sum}"
    if document.subagents:
        count = plural(len(document.subagents), "agent")
        text += f" = {format_usd(main.cost_usd)} main + {format_usd(agents.cost_usd)} by {count}"
    if total.cost_state:
        unknown = " (some model unknown to it)" if total.cost_state.has_unknown_model_cost else ""
        text += f" · Claude Code says {format_usd(total.cost_state.total_cost_usd)}{unknown}"
    return text


def _doubts(metrics: SessionMetrics) -> Iterator[str]:
    total = metrics.total
    if total.unpriced:
        yield f"no price known for {', '.join(map(model, total.unpriced))}"
    if total.lower_bound:
        yield "some answers were never finished on disk: what they wrote is not all counted"
    yield from ownership(metrics)


def _files(document: SessionDocument) -> str:
    project, files = document.session.project_path, document.session.files
    paths = files.modified if files else ()
    near = [path.removeprefix(f"{project}/") if project else path for path in paths]
    if not near:
        return ""
    shown = ", ".join(safe.brief(path, 120) for path in near[:_FILES])
    rest = f" and {len(near) - _FILES} more" if len(near) > _FILES else ""
    return f"{len(near)} changed: {shown}{rest}"


def _links(document: SessionDocument) -> str:
    links = document.session.links
    named: list[tuple[str, SessionLink | None]] = [
        ("plan in", links.plan),
        ("carried out in", links.implementation),
        ("forked from", links.forked_from),
        ("resumed from", links.resumed_from),
        *(("fork", fork) for fork in links.forks),
    ]
    told = [f"{name} {safe.brief(link.session_id, 128)}" for name, link in named if link]
    pulls = (pull.url or f"#{pull.number}" for pull in document.session.pull_requests or ())
    return " · ".join([*told, *(f"pull request {safe.brief(pull, 200)}" for pull in pulls)])


def _todos(document: SessionDocument) -> Iterator[Line]:
    for at, todo in enumerate(document.session.todos or ()):
        label = "" if at else "Todos"
        yield ("dim", label), ("", " " * (_LABEL - len(label))), *item(todo.status, todo.content)
