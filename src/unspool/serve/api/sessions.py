"""`/api/sessions`: the list, one session whole or by a window, and its marks."""

from datetime import date
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get, patch
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter, RawBody

from unspool.engine.dates import midnight
from unspool.engine.sessions.session_list import ListCursor, SessionFilter, Sort
from unspool.engine.sessions.views import session_answer
from unspool.model.api import Marks, MarksUpdate, SessionAnswer
from unspool.model.document import StatusName
from unspool.model.session import SessionSummary
from unspool.serve.api.parameters import (
    AgentId,
    Cursor,
    MachineName,
    PageSize,
    ProjectId,
    ProjectPart,
    SessionId,
    no_null,
)
from unspool.serve.api.session_request import SessionRequest
from unspool.serve.bodies import refuse_deep
from unspool.serve.context import ServerContext
from unspool.serve.pagination import Listed, decode_cursor, encode_cursor
from unspool.serve.problems import BadRequest

First = Annotated[int | None, QueryParameter(name="from", gt=-1)]
Limit = Annotated[int | None, QueryParameter(name="limit", gt=-1, le=1_000)]
Day = Annotated[date | None, QueryParameter(description="Inclusive.")]
Dollars = Annotated[
    float | None, QueryParameter(gt=-1, le=1e9, description="The cost of the session.")
]


@get(
    "/api/sessions",
    operation_id="listSessions",
    before_request=no_null("status", "since", "until", "least", "most"),
    sync_to_thread=True,
)
def sessions(  # noqa: PLR0913 - each is a parameter of the address
    *,
    context: NamedDependency[ServerContext],
    cursor: Cursor = "",
    limit: PageSize = 50,
    status: Annotated[StatusName | None, QueryParameter()] = None,
    project: ProjectPart = "",
    machine: MachineName = "",
    branch: Annotated[str, QueryParameter(max_length=255)] = "",
    model: Annotated[str, QueryParameter(max_length=128)] = "",
    since: Day = None,
    until: Day = None,
    least: Dollars = None,
    most: Dollars = None,
    q: Annotated[str, QueryParameter(max_length=256)] = "",
    sort: Annotated[Sort, QueryParameter()] = "newest",
    pinned: Annotated[bool, QueryParameter()] = False,
    hidden: Annotated[bool, QueryParameter()] = False,
) -> Response[Listed[SessionSummary]]:
    """Sessions, newest activity first or by `sort`; days are this machine's local days."""
    query = SessionFilter(
        project=project,
        status=status or "",
        machine=machine,
        branch=branch,
        model=model,
        since=midnight(since) if since else None,
        until=midnight(until, days=1) if until else None,
        least=least,
        most=most,
        words=q,
        sort=sort,
        pinned=pinned,
        hidden=hidden,
        after=decode_cursor(cursor, ListCursor),
        limit=limit,
    )
    return session_page(context, query)


@patch(
    "/api/sessions/{session_id:str}",
    operation_id="markSession",
    before_request=refuse_deep,
    sync_to_thread=True,
)
def mark(
    context: NamedDependency[ServerContext],
    session_id: SessionId,
    data: JSONBody[MarksUpdate],
    body: RawBody,
    project: Annotated[str, QueryParameter(max_length=255)] = "",
) -> Marks:
    """Pin, hide or rename a session; if several have this id, the newest or that of `project`."""
    try:
        update = msgspec.json.decode(body, type=MarksUpdate)  # `data` takes a 1 for yes
    except ValueError:
        raise BadRequest("Give `pinned` and `hidden` as true or false, `title` as text.") from None
    return context.marks.change(
        context.open_sessions.newest_project(session_id, project), session_id, update
    )


@get(
    "/api/sessions/{project_id:str}/{session_id:str}",
    operation_id="getSession",
    before_request=no_null("from", "limit"),
    sync_to_thread=True,
)
def session(
    request: Request[Any, Any, Any],
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    first: First = None,
    limit: Limit = None,
) -> Response[SessionAnswer]:
    """One session's document: whole, or with `from` or `limit` a window of its chunks."""
    target = SessionRequest(request, context, project_id, session_id)
    return target.respond(lambda found: session_answer(found, context.marks, first, limit))


@get(
    "/api/sessions/{project_id:str}/{session_id:str}/subagents/{agent_id:str}",
    operation_id="getSubagent",
    before_request=no_null("from", "limit"),
    sync_to_thread=True,
)
def subagent(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: Request[Any, Any, Any],
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    agent_id: AgentId,
    first: First = None,
    limit: Limit = None,
) -> Response[SessionAnswer]:
    """The document of one agent of a session, in the same shape."""
    target = SessionRequest(request, context, project_id, session_id, agent_id)
    return target.respond(lambda found: session_answer(found, context.marks, first, limit))


def session_page(context: ServerContext, query: SessionFilter) -> Response[Listed[SessionSummary]]:
    """One page of the list, encoded once while it stays the same."""
    key = context.sessions.version(), query
    body = context.responses.get_or_make(key, lambda: session_list(context, query))
    return Response(body, media_type="application/json")  # type: ignore[arg-type]


def session_list(context: ServerContext, query: SessionFilter) -> Listed[SessionSummary]:
    """One page of the list, with the cursor of the next one."""
    page = context.sessions.page(query)
    return Listed(items=page.items, next_cursor=encode_cursor(page.next) if page.next else None)
