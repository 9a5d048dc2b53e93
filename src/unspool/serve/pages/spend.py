"""`/spend`: what was spent, when, and on what."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency

from unspool.engine.usage.cost import CostQuery
from unspool.engine.usage.spending import index_totals, spend_by_hour
from unspool.model.insights import Causes
from unspool.serve.api.cost import cost_answer
from unspool.serve.context import ServerContext
from unspool.serve.pages.filters import project_choices, time_range
from unspool.serve.pages.response import page_response, page_shell
from unspool.show.html.spend_page import SpendQuery, SpendReports, chart_period, spend_page

_Request = Request[Any, Any, Any]
_SHOWN = 8


@get("/spend", include_in_schema=False, sync_to_thread=True)
def spend(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """One figure, a bar a day, where it went, and what was lost."""
    params = request.query_params
    query = SpendQuery(
        range=params.get("range", "")[:8] or "30",
        by=params.get("by", "")[:8],
        project=params.get("project", "")[:255],
    )
    found = time_range(query.range, context.now())
    cost_query = CostQuery(since=found.since if found.first else None, project=query.project)
    checkouts = context.projects.select(query.project)
    causes = context.insights.causes(found.since, found.until, checkouts)
    clean = context.redactor
    reports = SpendReports(
        periods=clean.value(cost_answer(context, cost_query._replace(by=chart_period(query)))),
        projects=clean.value(cost_answer(context, cost_query._replace(by="project"))),
        blocks=cost_answer(context, cost_query._replace(by="blocks")),
        causes=clean.value(causes),
        hours=spend_by_hour(
            index_totals(
                context.store, cost_query, context.scope.current(), context.config.groups.current
            )
        ),
        names=_names(context, causes),
        choices=project_choices(context),
    )
    around = page_shell(request, context, "Spend", "spend", "Spend")
    return page_response(request, spend_page(reports, around, query))


def _names(context: ServerContext, causes: Causes) -> dict[tuple[str, str], str]:
    """What the sessions are called in which most was lost."""
    shown = {(one.project_id, one.session_id) for one in causes.breaks[:_SHOWN]}
    rows = (row for _, id in shown for row in context.scope.sessions(id))
    clean = context.redactor.text
    return {(row.project_id, row.session_id): clean(row.title or row.goal) for row in rows}
