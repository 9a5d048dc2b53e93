"""`/api/projects`: all projects, and the sessions of one."""

from litestar import Response, get
from litestar.di import NamedDependency

from unspool.errors import NotFound
from unspool.model.api import ProjectSummary
from unspool.model.session import SessionSummary
from unspool.serve.api.parameters import Cursor, PageSize, ProjectId
from unspool.serve.api.sessions import session_page
from unspool.serve.desk import Desk
from unspool.serve.desks.sessions import SessionsAsked
from unspool.serve.pagination import Listed, list_page


@get("/api/projects", operation_id="listProjects", sync_to_thread=True)
def projects(
    desk: NamedDependency[Desk], cursor: Cursor = "", limit: PageSize = 50
) -> Listed[ProjectSummary]:
    """Projects, newest activity first."""
    return list_page(desk.projects.all(), cursor, limit)


@get(
    "/api/projects/{project_id:str}/sessions",
    operation_id="listProjectSessions",
    sync_to_thread=True,
)
def project_sessions(
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    cursor: Cursor = "",
    limit: PageSize = 50,
) -> Response[Listed[SessionSummary]]:
    """Sessions of one project, newest activity first."""
    if all(project.id != project_id for project in desk.projects.all()):
        raise NotFound("There is no such project.")
    return session_page(desk, SessionsAsked(only=project_id, cursor=cursor, limit=limit))
