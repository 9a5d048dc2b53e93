"""`/api/projects`: all projects, and the sessions of one."""

from litestar import Response, get
from litestar.di import NamedDependency

from unspool.engine.sessions.session_list import ListCursor, SessionFilter
from unspool.errors import NotFound
from unspool.model.api import ProjectSummary
from unspool.model.session import SessionSummary
from unspool.serve.api.parameters import Cursor, PageSize, ProjectId, Separate
from unspool.serve.api.sessions import session_page
from unspool.serve.context import ServerContext
from unspool.serve.pagination import Listed, decode_cursor, list_page


@get("/api/projects", operation_id="listProjects", sync_to_thread=True)
def projects(
    context: NamedDependency[ServerContext],
    cursor: Cursor = "",
    limit: PageSize = 50,
    separate: Separate = False,
) -> Listed[ProjectSummary]:
    """Projects with their checkouts, newest activity first; `separate` lists the checkouts."""
    return list_page(context.projects.all(separate=separate), cursor, limit)


@get(
    "/api/projects/{project_id:str}/sessions",
    operation_id="listProjectSessions",
    sync_to_thread=True,
)
def project_sessions(
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    cursor: Cursor = "",
    limit: PageSize = 50,
    separate: Separate = False,
) -> Response[Listed[SessionSummary]]:
    """Sessions of one project, or of one checkout, newest activity first.

    The main checkout has the id of its project; `separate` selects only that checkout.
    """
    project = context.projects.find(project_id, separate=separate)
    if project is None:
        raise NotFound("There is no such project.")
    return session_page(
        context,
        SessionFilter(
            only=project.checkout_ids, after=decode_cursor(cursor, ListCursor), limit=limit
        ),
    )
