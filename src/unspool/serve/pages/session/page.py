"""`/s/{project}/{session}`: one session, by any of its views."""

from typing import Any, Final
from urllib.parse import urlencode

from litestar import Request, Response, get
from litestar.datastructures import Cookie
from litestar.di import NamedDependency

from unspool.errors import NotFound, SessionDeleted
from unspool.model.query import SessionKey
from unspool.serve.api.parameters import Agent, ProjectId, SessionId, client_address
from unspool.serve.context import ServerContext
from unspool.serve.pages.response import html_response, page_response, page_shell
from unspool.serve.pages.session import loading, locations, story, views
from unspool.serve.pages.session.parameters import (
    At,
    First,
    From,
    LevelName,
    Line,
    Start,
    To,
    View,
    Words,
)
from unspool.serve.pages.session.source import PageSource, open_source
from unspool.serve.pages.session.story import PageQuery
from unspool.show.html.levels import level_of
from unspool.show.html.render import Page, render
from unspool.show.html.withheld_page import withheld_page
from unspool.show.labels import title_label

_COOKIE: Final = "unspool-level"
_YEAR: Final = 365 * 86_400


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
    range_from: From = "",
    range_to: To = "",
    level: LevelName = "",
) -> Response[bytes]:
    """A session's conversation, or another view of it; an event id leads to its step."""
    chosen = level_of(level or request.cookies.get(_COOKIE, ""))
    query = PageQuery(
        first=first,
        at=at,
        words=q,
        line=line,
        start=start,
        ends=(range_from, range_to),
        level=chosen,
    )
    name = project_id, session_id
    try:
        response = _response(request, context, (*name, agent), view, query)
    except SessionDeleted as error:
        response = page_response(request, _withheld(request, context, name, error))
    if level:
        response.set_cookie(_remembered(request, level))
    return response


def _response(
    request: Request[Any, Any, Any],
    context: ServerContext,
    place: tuple[str, str, str | None],
    view: str,
    query: PageQuery,
) -> Response[bytes]:
    agent = place[2]
    if not request.url.query and (
        beginning := loading.page(request, context, place[0], place[1], query.level)
    ):
        return page_response(request, beginning)
    is_event = locations.is_event(query.at)
    if is_event and not agent:
        agent = locations.event_agent(context, query.at)
    with open_source(context, place[0], place[1], agent) as source:
        if is_event and view == "turns":
            return _to_step(source, query)
        page, links = _page(request, source, view, query), source.links
    if view == "raw" and query.line:
        about = f"{place[0]}/{place[1]} line {query.line}"
        context.note("read raw", about, client_address(request))
    return html_response(request, render(page, links))


def _withheld(
    request: Request[Any, Any, Any],
    context: ServerContext,
    name: SessionKey,
    error: SessionDeleted,
) -> Page:
    """What is known of a session whose machine sends no lines."""
    reason = context.config.withheld(name[0])
    rows = context.sessions.named([name]) if reason else []
    if not rows:
        raise error
    shell = page_shell(
        request, context, title_label(rows[0].title or name[1]), "withheld", "Sessions"
    )
    return withheld_page(rows[0], reason, shell, context.now())


def _remembered(request: Request[Any, Any, Any], level: str) -> Cookie:
    """The level for the next session; the page's script writes the same cookie."""
    is_safe = request.url.scheme == "https"
    return Cookie(
        key=_COOKIE, value=level, max_age=_YEAR, samesite="strict", path="/s", secure=is_safe
    )


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
