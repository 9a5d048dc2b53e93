"""The sidebar of a session: cost by turn, agents, files, approvals, links, to-dos."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from typing import ClassVar, Final

from msgspec import UNSET, Struct, structs

from unspool.model.document import Phase, SessionDocument, SessionLink, ToolExecution
from unspool.model.steps import SessionStep
from unspool.show import safe, times
from unspool.show.html import agent_lines
from unspool.show.html.components import Number, cost_number
from unspool.show.html.cost_panel import CostPanel, cost_panel, costs_by_turn, steps_cost
from unspool.show.html.files_panel import EditCall, FilesPanel, file_edits, files_in, files_panel
from unspool.show.html.step_types import AgentLine
from unspool.show.labels import damage_note, job_text, ownership_notes
from unspool.show.numbers import format_count, format_usd
from unspool.show.tools.details import ChecklistItem

_MOST: Final = 40
_PHASES: Final = 6
_DECIDED: Final = {"allow": "allowed", "deny": "denied", "ask": "asked"}
_BY: Final = {"user": "you", "hook": "a hook", "rule": "a rule"}


class LinkRow(Struct, frozen=True):
    """A link to another session or a web page."""

    text: str
    reason: str = ""
    session: str = ""
    address: str = ""


class SessionSidebar(Struct, frozen=True, kw_only=True):
    """Everything in the sidebar."""

    phases: tuple[Number, ...] = ()
    phases_hidden: int = 0
    costs: CostPanel = CostPanel()
    cost: Number
    ownership: tuple[str, ...] = ()  # what of it other sessions and earlier files have to do with
    cli_says: str = ""
    agents: tuple[AgentLine, ...] = ()
    agents_hidden: int = 0
    agents_cost: Number
    files: FilesPanel = FilesPanel()
    approvals: tuple[tuple[str, int], ...] = ()
    waited: str = ""
    links: tuple[LinkRow, ...] = ()
    branches: tuple["AbandonedBranch", ...] = ()
    todos: tuple[ChecklistItem, ...] = ()
    plan_file: str = ""  # its name
    plan: str = ""  # its text, in a file that is exported: a page fetches it
    damage: str = ""


class PlanPart(Struct, frozen=True, kw_only=True):
    """The text of a session's plan, loaded on demand."""

    template: ClassVar[str] = "session/part_plan.html"
    text: str


class AbandonedBranch(Struct, frozen=True):
    """A branch abandoned by a rewind, and where it begins."""

    number: int
    text: str
    at: str


def session_sidebar(
    document: SessionDocument,
    edits: Iterable[EditCall] | None = None,
    steps: Sequence[SessionStep] = (),
    zone: tzinfo | None = None,
) -> SessionSidebar:
    """The sidebar of a document; its edits where they were read elsewhere."""
    metrics = document.metrics
    stated = metrics.total.cost_state
    if edits is None:
        edits = file_edits(document.tool_executions)
    session, files = document.session, document.session.files
    numbered = {step.id: (number, step) for number, step in enumerate(steps, 1)}
    tree = agent_lines.agent_tree({agent.id: agent for agent in document.subagents})
    return SessionSidebar(
        phases=tuple(_phase(phase) for phase in document.context.phases[-_PHASES:]),
        phases_hidden=max(len(document.context.phases) - _PHASES, 0),
        costs=cost_panel(steps, range(1, len(steps) + 1), metrics.total.cost_usd, zone)
        if steps
        else costs_by_turn(document.turns),
        cost=cost_number(metrics.total),
        cli_says=format_usd(stated.total_cost_usd) if stated else "",
        ownership=tuple(ownership_notes(metrics)),
        agents=tree[:_MOST],
        agents_hidden=max(len(tree) - _MOST, 0),
        agents_cost=cost_number(metrics.subagents, "all agents"),
        files=files_panel(
            edits, files.modified if files else (), session.project_path, numbered, zone
        ),
        approvals=_approvals(document.tool_executions),
        waited=_waited(document.tool_executions),
        links=tuple(_links(document)),
        branches=tuple(_branches(document)),
        todos=tuple(
            ChecklistItem(safe.brief(todo.content), todo.status)
            for todo in document.session.shown_todos
        ),
        plan_file=safe.brief((session.plan_file or "").replace("\\", "/").rpartition("/")[2], 120),
        plan=session.plan_text or "",
        damage=damage_note(document.diagnostics),
    )


def _phase(phase: Phase) -> Number:
    text = f"Phase {phase.number}: peak {format_count(phase.peak_tokens)}"
    compaction = phase.compaction
    if compaction and compaction.pre_tokens is not None and compaction.post_tokens is not None:
        text += (
            f", then {format_count(compaction.pre_tokens)} → {format_count(compaction.post_tokens)}"
        )
    return Number(text, "The largest context measured in this phase.")


def narrowed_sidebar(
    sidebar: SessionSidebar,
    steps: Sequence[SessionStep],
    numbers: range,
    zone: tzinfo | None = None,
) -> SessionSidebar:
    """The sidebar with the costs and files of some steps alone."""
    inside = [steps[number - 1] for number in numbers]
    ids = {step.id for step in inside}
    return structs.replace(
        sidebar,
        cost=Number(f"{steps_cost(inside)} of {sidebar.cost.text}", sidebar.cost.why),
        costs=cost_panel(steps, numbers, zone=zone),
        files=files_in(sidebar.files, ids),
        agents=tuple(agent for agent in sidebar.agents if agent.id in ids),
    )


def _branches(document: SessionDocument) -> Iterator[AbandonedBranch]:
    """Each abandoned branch, by its first prompt."""
    prompts = {turn.index: turn.prompt for turn in document.turns}
    listed_branches = {0}
    for chunk in document.chunks:
        if chunk.branch not in listed_branches:
            listed_branches.add(chunk.branch)
            text = safe.brief(prompts.get(chunk.turn or 0, ""), 80) or "…"
            yield AbandonedBranch(chunk.branch, text, chunk.id)


def _approvals(executions: Sequence[ToolExecution]) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for one in executions:
        if one.hook is not UNSET and one.hook.decision:
            word = _DECIDED.get(one.hook.decision, one.hook.decision)
            by = _BY.get(one.hook.by, one.hook.by)
            label = safe.brief(f"{word} by {by}" if by else word, 60)
            counts[label] = counts.get(label, 0) + 1
    return tuple(counts.items())


def _waited(executions: Sequence[ToolExecution]) -> str:
    waits = (one.hook.waited_ms or 0 for one in executions if one.hook is not UNSET)
    spent = sum(waits)
    return times.duration(spent) if spent else ""


def _links(document: SessionDocument) -> Iterator[LinkRow]:
    links = document.session.links
    related: list[tuple[str, SessionLink | None]] = [
        ("Plan", links.plan),
        ("Implemented in", links.implementation),
        ("Forked from", links.forked_from),
        ("Resumed from", links.resumed_from),
        *(("Fork", fork) for fork in links.forks),
    ]
    for name, link in related:
        if link:
            sure = "" if link.confidence >= 1 else f", {link.confidence:.0%} sure"
            text = f"{name} {safe.brief(link.session_id, 8)}"
            yield LinkRow(text, safe.brief(link.reason, 80) + sure, session=link.session_id)
    if document.session.plan_file:
        yield LinkRow("Plan file", safe.brief(document.session.plan_file, 300))
    if document.session.job:
        yield LinkRow("Background job", job_text(document.session.job))
    for pull in document.session.pull_requests or ():
        number = f"#{pull.number}" if pull.number else ""
        # An address of a transcript is followed only where it is plainly one of the web.
        address = pull.url if pull.url.startswith(("https://", "http://")) else ""
        label = f"Pull request {number or safe.brief(pull.url, 80)}"
        yield LinkRow(label, safe.brief(pull.repository, 80), address=address)
