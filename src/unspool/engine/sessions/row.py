"""Facts, hooks, registry, usage and marks -> the row of a session, wherever it is shown."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from msgspec import structs

from unspool.derive.approvals import HookState
from unspool.derive.reading.clock import iso, millis
from unspool.derive.row_facts import with_registry
from unspool.derive.status import is_busy, lacks_reset, standing, with_agents, with_reset
from unspool.derive.story.ongoing import is_ongoing
from unspool.derive.usage.session_usage import UsageSum
from unspool.engine.quota import RecentQuota, no_quota
from unspool.engine.sessions.grouping import last_part
from unspool.engine.sessions.registry import RegisteredProcess
from unspool.model.api import Marks
from unspool.model.document import (
    Files,
    PendingTool,
    ProjectGroup,
    SessionInfo,
    Status,
    TotalMetrics,
)
from unspool.model.query import ModelUsage
from unspool.model.session import RowFacts, SessionSummary

NO_HOOKS: Final = HookState()


class RowContext(NamedTuple):
    """What a row says that is not of the session itself."""

    now: int
    mark: Marks | None = None
    group: ProjectGroup | None = None
    quota: RecentQuota = no_quota


def session_row(
    facts: RowFacts,
    hooks: HookState,
    live: RegisteredProcess | None,
    usage: TotalMetrics,
    context: RowContext,
) -> SessionSummary:
    """A session as it stands now."""
    info = session_info(facts, hooks, live, context)
    mark, now = context.mark, context.now
    known = facts if live is None else _placed(facts, live)
    agents = known.agents
    return SessionSummary(
        session=info,
        metrics=with_counts(known, usage, info.duration_ms),
        last_activity=iso(known.last_activity),
        agents=None if agents is None else len(agents),
        compactions=known.compactions,
        lines=known.lines,
        bad_lines=known.bad_lines,
        bytes=known.size,
        message_count=known.message_count,
        has_subagents=None if agents is None else bool(agents),
        is_ongoing=is_ongoing(known.state.is_ongoing, known.last_write, known.last_activity, now),
        source_gone=known.source_gone,
        displayable=known.is_displayable,
        pinned=mark is not None and mark.pinned,
        hidden=mark is not None and mark.hidden,
        path=known.transcript_path or None,
    )


def session_info(
    facts: RowFacts, hooks: HookState, live: RegisteredProcess | None, context: RowContext
) -> SessionInfo:
    """Who, where, when, and how it stands now; its links are in the document."""
    known = facts if live is None else _placed(facts, live)
    status, mark = status_of(facts, hooks, live, context.now, context.quota), context.mark
    start, end = known.start_time, known.end_time
    return SessionInfo(
        id=known.session_id,
        project_id=known.project_id,
        project_path=known.cwd,
        project_name=last_part(known.cwd),
        project_group=context.group,
        title=mark.title if mark and mark.title else known.title,
        goal=known.goal,
        recent_output=known.recent_output,
        slug=known.slug,
        git_branch=known.git_branch,
        version=known.version,
        model=known.model,
        models=known.models,
        origin=known.origin,
        start_time=iso(start),
        end_time=iso(end),
        duration_ms=None if start is None or end is None else max(end - start, 0),
        status=status,
        pending_tool=pending_call(facts, status),
        is_subagent=known.is_subagent,
        entrypoint=known.entrypoint,
        files=None if known.files_modified is None else Files(known.files_modified),
        todos=known.todos,
        pull_requests=known.pull_requests,
    )


def status_of(
    facts: RowFacts,
    hooks: HookState,
    live: RegisteredProcess | None,
    now: int,
    quota: RecentQuota = no_quota,
) -> Status:
    """How a session stands at `now`, and what proves it."""
    state = with_agents(facts.state, (agent.state for agent in facts.agents or ()))
    if lacks_reset(state):
        state = with_reset(state, quota())
    entry, alive = (live.entry, live.alive) if live else (None, None)
    return standing(state, hooks, entry, alive, now)


def pending_call(facts: RowFacts, status: Status) -> PendingTool | None:
    """The last call without a result, while it may still get one."""
    return facts.state.pending if is_busy(status) else None


def running_calls(facts: RowFacts, status: Status, now: int) -> Iterable[tuple[str, str]]:
    """The calls that run now, each with its agent."""
    own = [("", id) for id in facts.state.open_calls] if is_busy(status) else []
    for agent in facts.agents or ():
        if is_busy(standing(agent.state, NO_HOOKS, None, None, now)):
            own += [(agent.id, id) for id in agent.state.open_calls]
    return own


def usage_sum(used: Iterable[ModelUsage]) -> TotalMetrics:
    """What the ledger has of a session, added up."""
    total = UsageSum()
    for one in used:
        total.add_model(one)
    return TotalMetrics(**structs.asdict(total.metrics()))


def last_activity(row: SessionSummary) -> int:
    """When a session last gave a sign of life: what lists are sorted by."""
    return millis(row.last_activity) or 0


def place(row: SessionSummary) -> tuple[int, str, str]:
    """Where a row stands in a list, the greatest first."""
    return last_activity(row), row.session.id, row.session.project_id


def _placed(facts: RowFacts, live: RegisteredProcess) -> RowFacts:
    return facts if facts.origin == "transcript" else with_registry(facts, live.entry)


def with_counts(facts: RowFacts, usage: TotalMetrics, duration: int | None) -> TotalMetrics:
    """What a session used, and what else was counted of it; None is unknown."""
    agents = sum(agent.messages for agent in facts.agents or ())
    is_counted = facts.messages is not None or facts.agents
    return structs.replace(
        usage,
        message_count=(facts.messages or 0) + agents if is_counted else None,
        duration_ms=duration or 0,
        cost_state=facts.cost_state,
    )
