"""`/tools`: which tools are called, fail, take long, make you wait, and fail in a loop."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency

from unspool.serve.context import ServerContext
from unspool.serve.pages.filters import machine_choices, project_choices, time_range
from unspool.serve.pages.response import page_response, page_shell
from unspool.show.html.tools_page import CALLS, ToolsContext, ToolsQuery, is_of, tools_page

_Request = Request[Any, Any, Any]
_SHOWN = 20


@get("/tools", include_in_schema=False, sync_to_thread=True)
def tools(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """One row a tool."""
    given, clean = request.query_params, context.redactor
    query = ToolsQuery(
        range=given.get("range", "")[:8] or "28",
        project=given.get("project", "")[:255],
        machine=given.get("machine", "")[:255],
        tool=given.get("tool", "")[:255],
        show=given.get("show", "")[:8],
    )
    time = time_range(query.range, context.now())
    projects = context.projects.select(query.project, query.machine)
    found = context.insights.tools(time.since, time.until, projects)
    calls = [
        call
        for name, some in found.calls.items()
        if query.tool and is_of(name, query.tool)
        for call in some
        if query.show != "failed" or call.state == "error"
    ]
    calls = sorted(calls, key=lambda call: -call.start)[:CALLS]
    shown = {loop.session_id for loop in found.loops[:_SHOWN]} | {call.session_id for call in calls}
    rows = [row for id in shown for row in context.scope.sessions(id)]
    beside = ToolsContext(
        now=context.now(),
        since=found.since,
        loops=clean.value(found.loops[:_SHOWN]),
        calls=[call._replace(name=clean.text(call.name)) for call in calls],
        names={(row.project_id, row.session_id): clean.text(row.title or row.goal) for row in rows},
        choices=project_choices(context),
        machines=machine_choices(context),
    )
    around = page_shell(request, context, "Tools", "tools", "Tools")
    return page_response(request, tools_page(clean.value(found.counts), around, query, beside))
