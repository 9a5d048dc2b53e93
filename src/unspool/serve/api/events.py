"""`/api/sessions/{sessionId}/events`: a timeline. `/api/events`: events that hooks send."""

from typing import Annotated, Any, Final, NamedTuple, TypeAlias

from litestar import Request, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency, Provide
from litestar.params import PathParameter, QueryParameter
from msgspec import structs

from unspool.engine.timeline.pages import EventCursor, EventQuery
from unspool.errors import NotFound
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
_EVENTS: Final = "/api/sessions/{session_id:str}/events"


class EventPageRequest(NamedTuple):
    """A request for a page of a session's events."""

    live: Live
    session_id: str
    project: str
    query: EventQuery

    def respond(self, agent: str | None = None) -> EventPage:
        """The page; `agent` is one of the session, "" the main conversation."""
        name = self.live.name_on_disk(self.session_id, self.project)
        page = self.live.timelines.page(name, structs.replace(self.query, agent=agent))
        return EventPage(
            items=page.items,
            next_cursor=encode_cursor(page.after) if page.after else None,
            prev_cursor=encode_cursor(page.before) if page.before else None,
            total=page.total,
            seq=page.seq,
        )


def _page_request(
    *,
    live: NamedDependency[Live],
    session_id: SessionId,
    cursor: Cursor = "",
    limit: PageSize = 50,
    project: Project = "",
    newest: Newest = False,
) -> EventPageRequest:
    position = decode_cursor(cursor, EventCursor)
    query = EventQuery(cursor=position, limit=limit, newest=newest)
    return EventPageRequest(live, session_id, project, query)


_PAGE: Final = {"page": Provide(_page_request, sync_to_thread=False)}


@get(_EVENTS, operation_id="listEvents", dependencies=_PAGE, sync_to_thread=True)
def events(page: NamedDependency[EventPageRequest]) -> EventPage:
    """All events of a session, oldest first; `newest` begins with the last page."""
    return page.respond()


@get(f"{_EVENTS}/main", operation_id="listMainEvents", dependencies=_PAGE, sync_to_thread=True)
def main_events(page: NamedDependency[EventPageRequest]) -> EventPage:
    """Events of the main conversation alone."""
    return page.respond("")


@get(
    f"{_EVENTS}/subagent/{{agent_id:str}}",
    operation_id="listAgentEvents",
    dependencies=_PAGE,
    sync_to_thread=True,
)
def agent_events(page: NamedDependency[EventPageRequest], agent_id: AgentId) -> EventPage:
    """Events of one subagent alone."""
    return page.respond(agent_id)


@get(
    f"{_EVENTS}/{{event_id:str}}/full",
    operation_id="getEvent",
    sync_to_thread=True,
)
def full_event(
    live: NamedDependency[Live], session_id: SessionId, event_id: EventId, project: Project = ""
) -> FullEvent:
    """One event with its full content."""
    return live.timelines.full(live.name(session_id, project), event_id)


@post(
    "/api/events",
    operation_id="handIn",
    operation_class=json_body("HookRequest", "EventEnvelope"),
    status_code=201,
)
async def hand_in(live: NamedDependency[Live], request: Request[Any, Any, Any]) -> EventReceipt:
    """Store a hook's event, raw or in an envelope; it is on disk before the response."""
    if live.intake is None:
        raise NotFound("Send events to the unspool on their own machine, not to a hub.")
    return await sync_to_thread(live.intake.take, await request.body())
