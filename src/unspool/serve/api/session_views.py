"""Parts of one session's document: metrics, turns, tool calls, context, waterfall, raw lines.

With `?agent=` they are those of an agent of the session.
"""

from typing import Annotated

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import PathParameter

from unspool.derive.story.waterfall import Waterfall
from unspool.engine.sessions.session import SessionReader
from unspool.engine.sessions.views import bare_document, raw_line, session_waterfall, with_bodies
from unspool.model.api import RawLine
from unspool.model.document import Context, SessionMetrics, ToolExecution, Turn
from unspool.serve.api.parameters import Cursor, PageSize, client_address
from unspool.serve.api.session_request import TARGET, SessionRequest
from unspool.serve.context import ServerContext
from unspool.serve.pagination import Listed, list_page

_SESSION = "/api/sessions/{project_id:str}/{session_id:str}"


@get(f"{_SESSION}/metrics", operation_id="getMetrics", dependencies=TARGET, sync_to_thread=True)
def metrics(target: NamedDependency[SessionRequest]) -> Response[SessionMetrics]:
    """Tokens, time and cost: of the main thread, of its agents, and of both."""
    return target.respond(lambda session: bare_document(session).metrics)


@get(f"{_SESSION}/turns", operation_id="listTurns", dependencies=TARGET, sync_to_thread=True)
def turns(
    target: NamedDependency[SessionRequest],
    cursor: Cursor = "",
    limit: PageSize = 50,
) -> Response[Listed[Turn]]:
    """Prompts, and the work that followed each."""
    return target.respond(lambda session: list_page(bare_document(session).turns, cursor, limit))


@get(f"{_SESSION}/tools", operation_id="listTools", dependencies=TARGET, sync_to_thread=True)
def tools(
    target: NamedDependency[SessionRequest],
    cursor: Cursor = "",
    limit: PageSize = 50,
) -> Response[Listed[ToolExecution]]:
    """Tool calls with their results, by start time."""
    return target.respond(lambda session: _calls_page(session, cursor, limit))


@get(f"{_SESSION}/context", operation_id="getContext", dependencies=TARGET, sync_to_thread=True)
def context(target: NamedDependency[SessionRequest]) -> Response[Context]:
    """What filled the context window, turn by turn, and its phases."""
    return target.respond(lambda session: bare_document(session).context)


@get(f"{_SESSION}/waterfall", operation_id="getWaterfall", dependencies=TARGET, sync_to_thread=True)
def waterfall(target: NamedDependency[SessionRequest]) -> Response[Waterfall]:
    """Chunks, calls and agents as bars on one time axis."""
    return target.respond(session_waterfall)


@get(
    f"{_SESSION}/raw/{{line:int}}",
    operation_id="getRawLine",
    dependencies=TARGET,
    sync_to_thread=True,
)
def raw(
    context: NamedDependency[ServerContext],
    target: NamedDependency[SessionRequest],
    line: Annotated[int, PathParameter(ge=1)],
) -> Response[RawLine]:
    """One line of the transcript as it was written, without its secrets."""

    def noted(session: SessionReader) -> RawLine:
        found = raw_line(session, line, context.lines, context.redactor)
        about = f"{target.project_id}/{target.session_id} line {line}"
        context.note("read raw", about, client_address(target.request))
        return found

    # The id of its event may become known only later.
    return target.respond(noted, cached=False)


def _calls_page(session: SessionReader, cursor: str, limit: int) -> Listed[ToolExecution]:
    page = list_page(session.document(bodies=False).tool_executions, cursor, limit)
    return Listed(items=with_bodies(session, page.items), next_cursor=page.next_cursor)
