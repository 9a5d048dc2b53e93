"""`/api/cost`: cost reports."""

from datetime import date
from typing import Annotated, Literal, TypeAlias

import msgspec
from litestar import get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from unspool.derive.usage.quota import paces
from unspool.engine import dates
from unspool.engine.usage.cost import CAUSES, BlockQuery, CostQuery, block_report, cost_report
from unspool.engine.usage.spending import index_causes, index_totals
from unspool.model.api import CostAnswer
from unspool.model.usage import TotalRow
from unspool.serve.api.parameters import MachineName, ProjectPart, Separate, no_null
from unspool.serve.context import ServerContext
from unspool.show import cost_json

By: TypeAlias = Literal[
    "daily",
    "weekly",
    "monthly",
    "session",
    "project",
    "model",
    "blocks",
    "skill",
    "mcp",
    "agent",
    "command",
    "tool",
]


@get(
    "/api/cost",
    operation_id="getCost",
    before_request=no_null("since", "until"),
    sync_to_thread=True,
)
def cost(  # noqa: PLR0913 - each is a parameter of the address
    *,
    context: NamedDependency[ServerContext],
    by: Annotated[By, QueryParameter()] = "daily",
    since: Annotated[date | None, QueryParameter()] = None,
    until: Annotated[date | None, QueryParameter()] = None,
    project: ProjectPart = "",
    machine: MachineName = "",
    model: Annotated[str, QueryParameter(max_length=128)] = "",
    timezone: Annotated[str, QueryParameter(max_length=64)] = "",
    mode: Annotated[Literal["billing"], QueryParameter()] = "billing",
    separate: Separate = False,
) -> CostAnswer:
    """Cost by day, week, month, session, project, model, five-hour block or cause.

    The causes are the skill, MCP server, agent type, slash command or tool a response was for.
    A project is a repository with its worktrees and clones; `separate` counts each by itself.
    The only `mode` is `billing`: `devtools` would have to read every response.
    """
    del mode
    zone = dates.time_zone(timezone)
    query = CostQuery(
        by,
        dates.midnight(since, zone) if since else None,
        dates.midnight(until, zone, days=1) if until else None,
        model=model,
        zone=zone,
        separate=separate,
        only=context.projects.select(project, machine),
    )
    return cost_answer(context, query)


def cost_answer(context: ServerContext, query: CostQuery) -> CostAnswer:
    """A report from the index."""
    groups = context.config.groups.current
    find = index_causes if query.by in CAUSES else index_totals
    return answer_of(context, find(context.store, query, context.scope.current(), groups), query)


def answer_of(context: ServerContext, totals: list[TotalRow], query: CostQuery) -> CostAnswer:
    """A report of some sums."""
    now = context.now()
    quota = paces(context.quota(), now)
    if query.by == "blocks":
        report = block_report(totals, now, BlockQuery())
        document = cost_json.blocks_document(report.blocks, report.pace, None)
    else:
        document = cost_json.document(cost_report(totals, query), query.by)
    more = {"quota": cost_json.quota_document(quota), "forgotten": context.forgotten()}
    return msgspec.convert({**document, **more}, CostAnswer)
