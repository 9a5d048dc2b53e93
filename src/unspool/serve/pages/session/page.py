"""`/s/{project}/{session}`: one session, by any of its views."""

from typing import Any
from urllib.parse import urlencode

from litestar import Request, Response, get
from litestar.di import NamedDependency

from unspool.errors import NotFound
from unspool.serve.api.parameters import Agent, ProjectId, SessionId
from unspool.serve.desk import Desk
from unspool.serve.pages.response import html_response, page_response, page_shell
from unspool.serve.pages.session import begun, places, story, views
from unspool.serve.pages.session.asked import At, First, Line, Start, View, Words
from unspool.serve.pages.session.opened import Read, reading
from unspool.serve.pages.session.story import Asked
from unspool.show.html.render import Page, render
from unspool.show.labels import title_label


@get("/s/{project_id:str}/{session_id:str}", include_in_schema=False, sync_to_thread=True)
def session(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: Request[Any, Any, Any],
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
    view: View = "turns",
    first: First = 0,
    at: At = "",
    q: Words = "",
    line: Line = 0,
    start: Start = 0,
) -> Response[bytes]:
    """A session's story, or another view of it; an event's name leads to its step."""
    if not request.url.query and (beginning := begun.page(request, desk, project_id, session_id)):
        return page_response(request, beginning)
    asked = Asked(first=first, at=at, words=q, line=line, start=start)
    if places.is_event(at) and not agent and (found := places.owner(desk, at)):
        agent = found
    with reading(desk, project_id, session_id, agent) as read:
        if places.is_event(at) and view == "turns":
            return _to_step(read, asked)
        made, links = _made(request, read, view, asked), read.links
    return html_response(request, render(made, links))


def _made(request: Request[Any, Any, Any], read: Read, view: str, asked: Asked) -> Page:
    info = read.whole.document.session
    named = title_label(info.title or info.goal or info.id)
    around = page_shell(request, read.desk, named, "session", "Sessions")
    if view == "turns":
        return story.kept(read, around, asked)
    return views.page(read, around, view, asked)


def _to_step(read: Read, asked: Asked) -> Response[bytes]:
    """The address of a step: only that can say where on its page it stands."""
    told = story.told(read, asked)
    if not told.at:
        raise NotFound("This session has no such line.")
    chunk = any(told.at == one.block.id for one in told.passages)
    place = f"chunk-{told.at}" if chunk else f"step-{told.at}"
    where = read.links.at(read.project, read.id, told.at, place)
    if asked.words:
        before, _, mark = where.partition("#")
        where = f"{before}&{urlencode({'q': asked.words})}#{mark}"
    return Response(b"", status_code=303, headers={"location": where})
