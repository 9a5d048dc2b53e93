"""`/s/{project}/{session}`: one session, by any of its views."""

from typing import Any
from urllib.parse import urlencode

from litestar import Request, Response, get
from litestar.di import NamedDependency

from unspool.errors import NotFound
from unspool.serve.api.parameters import Agent, ProjectId, SessionId
from unspool.serve.context import ServerContext
from unspool.serve.pages.response import html_response, page_response, page_shell
from unspool.serve.pages.session import loading, locations, story, views
from unspool.serve.pages.session.parameters import At, First, Line, Start, View, Words
from unspool.serve.pages.session.source import PageSource, open_source
from unspool.serve.pages.session.story import PageQuery
from unspool.show.html.render import Page, render
from unspool.show.labels import title_label


@get("/s/{project_id:str}/{session_id:str}", include_in_schema=False, sync_to_thread=True)
def session(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: Request[Any, Any, Any],
    context: NamedDependency[ServerContext],
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
    """A session's conversation, or another view of it; an event id leads to its step."""
    if not request.url.query and (
        beginning := loading.page(request, context, project_id, session_id)
    ):
        return page_response(request, beginning)
    query = PageQuery(first=first, at=at, words=q, line=line, start=start)
    if locations.is_event(at) and not agent and (found := locations.event_agent(context, at)):
        agent = found
    with open_source(context, project_id, session_id, agent) as source:
        if locations.is_event(at) and view == "turns":
            return _to_step(source, query)
        page, links = _page(request, source, view, query), source.links
    return html_response(request, render(page, links))


def _page(request: Request[Any, Any, Any], source: PageSource, view: str, query: PageQuery) -> Page:
    info = source.overview.document.session
    named = title_label(info.title or info.goal or info.id)
    around = page_shell(request, source.context, named, "session", "Sessions")
    if view == "turns":
        return story.cached_page(source, around, query)
    return views.page(source, around, view, query)


def _to_step(source: PageSource, query: PageQuery) -> Response[bytes]:
    """Redirect to the address of a step, with its anchor."""
    target = story.story_window(source, query)
    if not target.at:
        raise NotFound("This session has no such line.")
    chunk = any(target.at == one.block.id for one in target.passages)
    place = f"chunk-{target.at}" if chunk else f"step-{target.at}"
    where = source.links.at(source.project, source.id, target.at, place)
    if query.words:
        before, _, mark = where.partition("#")
        where = f"{before}&{urlencode({'q': query.words})}#{mark}"
    return Response(b"", status_code=303, headers={"location": where})
