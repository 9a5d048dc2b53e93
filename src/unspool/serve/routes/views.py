"""Views of one session, each a part of its document: metrics, turns, calls, context, bars, lines.

With `agent` they are of that agent of the session.
"""

from typing import Annotated, Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import PathParameter

from unspool.derive.story.waterfall import Waterfall
from unspool.model.api import RawLine
from unspool.model.document import Context, SessionMetrics, ToolExecution, Turn
from unspool.serve.answers import Listed
from unspool.serve.desk import Desk
from unspool.serve.routes.names import Agent, Cursor, PageSize, ProjectId, SessionId
from unspool.serve.routes.opened import Opened

_SESSION = "/api/sessions/{project_id:str}/{session_id:str}"
_Request = Request[Any, Any, Any]


@get(f"{_SESSION}/metrics", operation_id="getMetrics", sync_to_thread=True)
def metrics(
    request: _Request,
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
) -> Response[SessionMetrics]:
    """Tokens, time and money: its own, its agents', and both."""
    return Opened(request, desk, project_id, session_id, agent).view(desk.reading.metrics)


@get(f"{_SESSION}/turns", operation_id="listTurns", sync_to_thread=True)
def turns(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: _Request,
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
    cursor: Cursor = "",
    limit: PageSize = 50,
) -> Response[Listed[Turn]]:
    """Prompts, and what came of each."""
    opened = Opened(request, desk, project_id, session_id, agent)
    return opened.view(lambda session: desk.reading.turns(session, cursor, limit))


@get(f"{_SESSION}/tools", operation_id="listTools", sync_to_thread=True)
def tools(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: _Request,
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
    cursor: Cursor = "",
    limit: PageSize = 50,
) -> Response[Listed[ToolExecution]]:
    """Tool calls with their results, by their start."""
    opened = Opened(request, desk, project_id, session_id, agent)
    return opened.view(lambda session: desk.reading.tools(session, cursor, limit))


@get(f"{_SESSION}/context", operation_id="getContext", sync_to_thread=True)
def context(
    request: _Request,
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
) -> Response[Context]:
    """What filled the context, turn by turn, and its phases."""
    return Opened(request, desk, project_id, session_id, agent).view(desk.reading.context)


@get(f"{_SESSION}/waterfall", operation_id="getWaterfall", sync_to_thread=True)
def waterfall(
    request: _Request,
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
) -> Response[Waterfall]:
    """Chunks, calls and agents as bars on one line of time."""
    return Opened(request, desk, project_id, session_id, agent).view(desk.reading.waterfall)


@get(f"{_SESSION}/raw/{{line:int}}", operation_id="getRawLine", sync_to_thread=True)
def raw(
    request: _Request,
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    line: Annotated[int, PathParameter(ge=1)],
    agent: Agent = None,
) -> Response[RawLine]:
    """One line of its transcript as it lies there, without its secrets."""
    opened = Opened(request, desk, project_id, session_id, agent)
    # Its event's id may be known only later.
    return opened.view(lambda session: desk.reading.raw(session, line), keeps=False)
