"""`/tools`: which tools are called, fail, take long, make you wait, and go round in circles."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency

from unspool.serve.context import ServerContext
from unspool.serve.pages.filters import project_choices, time_range
from unspool.serve.pages.response import page_response, page_shell
from unspool.show.html.tools_page import ToolsContext, ToolsQuery, tools_page

_Request = Request[Any, Any, Any]
_SHOWN = 20


@get("/tools", include_in_schema=False, sync_to_thread=True)
def tools(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """One row a tool."""
    given, clean = request.query_params, context.redactor
    query = ToolsQuery(
        range=given.get("range", "")[:8] or "30", project=given.get("project", "")[:255]
    )
    time = time_range(query.range, context.now())
    found = context.insights.tools(time.since, time.until, context.projects.select(query.project))
    shown = {one.session_id for one in found.loops[:_SHOWN]}
    rows = [row for id in shown for row in context.scope.sessions(id)]
    beside = ToolsContext(
        now=context.now(),
        loops=clean.value(found.loops[:_SHOWN]),
        names={(row.project_id, row.session_id): clean.text(row.title or row.goal) for row in rows},
        choices=project_choices(context),
    )
    around = page_shell(request, context, "Tools", "tools", "Tools")
    return page_response(request, tools_page(clean.value(found.counts), around, query, beside))
