"""Parts of one session's document: metrics, turns, tool calls, context, waterfall, raw lines.

With `?agent=` they are those of an agent of the session.
"""

from typing import Annotated

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import PathParameter

from unspool.derive.story.waterfall import Waterfall
from unspool.model.api import RawLine
from unspool.model.document import Context, SessionMetrics, ToolExecution, Turn
from unspool.serve.api.parameters import Cursor, PageSize
from unspool.serve.api.session_request import TARGET, SessionRequest
from unspool.serve.desk import Desk
from unspool.serve.pagination import Listed

_SESSION = "/api/sessions/{project_id:str}/{session_id:str}"


@get(f"{_SESSION}/metrics", operation_id="getMetrics", dependencies=TARGET, sync_to_thread=True)
def metrics(
    desk: NamedDependency[Desk], target: NamedDependency[SessionRequest]
) -> Response[SessionMetrics]:
    """Tokens, time and cost: of the main thread, of its agents, and of both."""
    return target.respond(desk.reading.metrics)


@get(f"{_SESSION}/turns", operation_id="listTurns", dependencies=TARGET, sync_to_thread=True)
def turns(
    desk: NamedDependency[Desk],
    target: NamedDependency[SessionRequest],
    cursor: Cursor = "",
    limit: PageSize = 50,
) -> Response[Listed[Turn]]:
    """Prompts, and the work that followed each."""
    return target.respond(lambda session: desk.reading.turns(session, cursor, limit))


@get(f"{_SESSION}/tools", operation_id="listTools", dependencies=TARGET, sync_to_thread=True)
def tools(
    desk: NamedDependency[Desk],
    target: NamedDependency[SessionRequest],
    cursor: Cursor = "",
    limit: PageSize = 50,
) -> Response[Listed[ToolExecution]]:
    """Tool calls with their results, by start time."""
    return target.respond(lambda session: desk.reading.tools(session, cursor, limit))


@get(f"{_SESSION}/context", operation_id="getContext", dependencies=TARGET, sync_to_thread=True)
def context(
    desk: NamedDependency[Desk], target: NamedDependency[SessionRequest]
) -> Response[Context]:
    """What filled the context window, turn by turn, and its phases."""
    return target.respond(desk.reading.context)


@get(f"{_SESSION}/waterfall", operation_id="getWaterfall", dependencies=TARGET, sync_to_thread=True)
def waterfall(
    desk: NamedDependency[Desk], target: NamedDependency[SessionRequest]
) -> Response[Waterfall]:
    """Chunks, calls and agents as bars on one time axis."""
    return target.respond(desk.reading.waterfall)


@get(
    f"{_SESSION}/raw/{{line:int}}",
    operation_id="getRawLine",
    dependencies=TARGET,
    sync_to_thread=True,
)
def raw(
    desk: NamedDependency[Desk],
    target: NamedDependency[SessionRequest],
    line: Annotated[int, PathParameter(ge=1)],
) -> Response[RawLine]:
    """One line of the transcript as it was written, without its secrets."""
    # The id of its event may become known only later.
    return target.respond(lambda session: desk.reading.raw(session, line), cached=False)
