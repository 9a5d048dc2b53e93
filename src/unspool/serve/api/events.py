"""`/api/sessions/{sessionId}/events`: what happened, and `/api/events`: what hooks hand in."""

from typing import Annotated, Any, TypeAlias

from litestar import Request, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import PathParameter, QueryParameter

from unspool.model.live import EventPage, EventReceipt, FullEvent
from unspool.serve.api.parameters import AgentId, Cursor, PageSize, SessionId
from unspool.serve.live import Live
from unspool.serve.openapi import json_body
from unspool.serve.timeline import EventsAsked

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
    return live.timelines.page(
        EventsAsked(
            session_id=session_id, project=project, cursor=cursor, limit=limit, newest=newest
        )
    )


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
    return live.timelines.page(
        EventsAsked(
            session_id=session_id,
            project=project,
            agent="",
            cursor=cursor,
            limit=limit,
            newest=newest,
        )
    )


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
    return live.timelines.page(
        EventsAsked(
            session_id=session_id,
            project=project,
            agent=agent_id,
            cursor=cursor,
            limit=limit,
            newest=newest,
        )
    )


@get(
    "/api/sessions/{session_id:str}/events/{event_id:str}/full",
    operation_id="getEvent",
    sync_to_thread=True,
)
def full_event(
    live: NamedDependency[Live], session_id: SessionId, event_id: EventId, project: Project = ""
) -> FullEvent:
    """One event with all that was written of it."""
    return live.timelines.full(session_id, event_id, project)


@post(
    "/api/events",
    operation_id="handIn",
    operation_class=json_body("HookRequest", "EventEnvelope"),
    status_code=201,
)
async def hand_in(live: NamedDependency[Live], request: Request[Any, Any, Any]) -> EventReceipt:
    """Take a hook's event, as it was told or in an envelope; it is on disk when this answers."""
    return await sync_to_thread(live.intake.take, await request.body())
