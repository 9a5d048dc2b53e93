"""`/api/sessions/{sessionId}/events`: what happened, and `/api/events`: what hooks hand in."""

from typing import Annotated, Any, TypeAlias

from litestar import Request, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import PathParameter, QueryParameter

from unspool.engine.event_pages import EventCursor, EventQuery
from unspool.model.live import EventPage, EventReceipt, FullEvent
from unspool.serve.api.parameters import AgentId, Cursor, PageSize, SessionId
from unspool.serve.live import Live
from unspool.serve.openapi import json_body
from unspool.serve.pagination import decode_cursor, encode_cursor

EventId: TypeAlias = Annotated[
    str, PathParameter(pattern=r"^[0-9]{1,20}\.[0-9]{1,10}\.[0-9]{1,20}$")
]
Project: TypeAlias = Annotated[str, QueryParameter(name="project", max_length=255)]
Newest: TypeAlias = Annotated[bool, QueryParameter(name="newest")]


@get("/api/sessions/{session_id:str}/events", operation_id="listEvents", sync_to_thread=True)
def events(
    live: NamedDependency[Live],
    session_id: SessionId,
    cursor: Cursor = "",
    limit: PageSize = 50,
    project: Project = "",
    newest: Newest = False,
) -> EventPage:
    """All events of a session, oldest first; `newest` begins with the last page."""
    query = EventQuery(cursor=_cursor(cursor), limit=limit, newest=newest)
    return _page(live, session_id, project, query)


@get(
    "/api/sessions/{session_id:str}/events/main",
    operation_id="listMainEvents",
    sync_to_thread=True,
)
def main_events(
    live: NamedDependency[Live],
    session_id: SessionId,
    cursor: Cursor = "",
    limit: PageSize = 50,
    project: Project = "",
    newest: Newest = False,
) -> EventPage:
    """Events of the main conversation alone."""
    query = EventQuery(agent="", cursor=_cursor(cursor), limit=limit, newest=newest)
    return _page(live, session_id, project, query)


@get(
    "/api/sessions/{session_id:str}/events/subagent/{agent_id:str}",
    operation_id="listAgentEvents",
    sync_to_thread=True,
)
def agent_events(  # noqa: PLR0913 - each is a parameter of the address
    *,
    live: NamedDependency[Live],
    session_id: SessionId,
    agent_id: AgentId,
    cursor: Cursor = "",
    limit: PageSize = 50,
    project: Project = "",
    newest: Newest = False,
) -> EventPage:
    """Events of one subagent alone."""
    query = EventQuery(agent=agent_id, cursor=_cursor(cursor), limit=limit, newest=newest)
    return _page(live, session_id, project, query)


@get(
    "/api/sessions/{session_id:str}/events/{event_id:str}/full",
    operation_id="getEvent",
    sync_to_thread=True,
)
def full_event(
    live: NamedDependency[Live], session_id: SessionId, event_id: EventId, project: Project = ""
) -> FullEvent:
    """One event with all that was written of it."""
    return live.timelines.full(live.name(session_id, project), event_id)


@post(
    "/api/events",
    operation_id="handIn",
    operation_class=json_body("HookRequest", "EventEnvelope"),
    status_code=201,
)
async def hand_in(live: NamedDependency[Live], request: Request[Any, Any, Any]) -> EventReceipt:
    """Take a hook's event, as it was told or in an envelope; it is on disk when this answers."""
    return await sync_to_thread(live.intake.take, await request.body())


def _cursor(cursor: str) -> EventCursor | None:
    return decode_cursor(cursor, EventCursor)


def _page(live: Live, session_id: str, project: str, query: EventQuery) -> EventPage:
    found = live.timelines.page(live.name_on_disk(session_id, project), query)
    return EventPage(
        items=found.items,
        next_cursor=encode_cursor(found.after) if found.after else None,
        prev_cursor=encode_cursor(found.before) if found.before else None,
        total=found.total,
        seq=found.seq,
    )
