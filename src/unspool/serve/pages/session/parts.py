"""`/part/…`: pieces of a session's page, fetched when they are opened or when it grew."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from msgspec import structs

from unspool.errors import NotFound
from unspool.serve.api.parameters import Agent, ProjectId, SessionId
from unspool.serve.api.session_request import has_tag
from unspool.serve.desk import Desk
from unspool.serve.pages.response import html_response, not_modified
from unspool.serve.pages.session import story, windows
from unspool.serve.pages.session.asked import Begin, First, Limit, Slab, StepId
from unspool.serve.pages.session.opened import Read, reading
from unspool.serve.pages.session.story import Asked
from unspool.show.html import session_page as views
from unspool.show.html.passages import passages
from unspool.show.html.render import Page, render
from unspool.show.html.render_context import render_context
from unspool.show.html.shell import Shell

_Request = Request[Any, Any, Any]
_LONG = 100
_WHERE = "{project_id:str}/{session_id:str}"


@get(f"/part/window/{_WHERE}", include_in_schema=False, sync_to_thread=True)
def window(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: _Request,
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
    first: First = 0,
    limit: Limit = windows.CHUNKS,
    slab: Slab = -1,
) -> Response[bytes]:
    """Passages from a chunk on, or some steps of one long answer."""
    with reading(desk, project_id, session_id, agent) as read:
        tag = _tag(request, read)
        if has_tag(request.headers.get("if-none-match"), tag):
            return not_modified(tag)
        made = _window(read, first, limit) if slab < 0 else _slab(read, first, slab)
    return html_response(request, render(made, read.links), tag=tag)


@get(f"/part/step/{_WHERE}/{{step:str}}", include_in_schema=False, sync_to_thread=True)
def step(
    *,
    request: _Request,
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    step: StepId,
    agent: Agent = None,
) -> Response[bytes]:
    """A call in full; of an agent's id, what that agent did."""
    with reading(desk, project_id, session_id) as outer:
        whose = step if any(one.id == step for one in outer.session.agents) else agent
    with reading(desk, project_id, session_id, whose) as read:
        made = _agent(read) if whose == step else _call(read, step)
    return html_response(request, render(made, read.links))


@get(f"/part/tail/{_WHERE}", include_in_schema=False, sync_to_thread=True)
def tail(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: _Request,
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
    first: First = 0,
    limit: Limit = windows.CHUNKS,
    begin: Begin = -1,
) -> Response[bytes]:
    """What a page that follows a session needs: all from a chunk on, and what stands around."""
    with reading(desk, project_id, session_id, agent) as read:
        tag = _tag(request, read)
        if has_tag(request.headers.get("if-none-match"), tag):
            return not_modified(tag)
        page = story.page(read, Shell(title=""), Asked(first=first, limit=limit, begin=begin))
    values = {name: getattr(page, name) for name in page.__struct_fields__}
    if len(page.marks) > _LONG and not any(one.opens for one in page.passages[1:]):
        values["marks"] = ()  # the outline of many turns is sent when there is a new one
    return html_response(request, render(views.TailPart(**values), read.links), tag=tag)


@get(f"/part/at/{_WHERE}/{{step:str}}", include_in_schema=False, sync_to_thread=True)
def at(
    *,
    request: _Request,
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    step: StepId,
    agent: Agent = None,
) -> Response[bytes]:
    """The window in which a step stands."""
    with reading(desk, project_id, session_id, agent) as read:
        told = story.told(read, Asked(at=step))
        made = views.WindowPart(
            spot=read.spot(at=told.at, branch=told.branch),
            passages=told.passages,
            window=told.plan.window,
        )
    return html_response(request, render(made, read.links))


def _tag(request: _Request, read: Read) -> str:
    return f'W/"{read.tag}"'


def _window(read: Read, first: int, limit: int) -> Page:
    made = windows.plan(read.session, first, limit)
    document, layout = read.document(made)
    reader, spot = read.reader(), read.spot()
    return views.window_part(document, reader, spot, layout, made.window)


def _slab(read: Read, chunk: int, slab: int) -> Page:
    if chunk >= len(read.session.fold.chunks.spans):
        raise NotFound("This session has no such passage.")
    made = windows.plan(read.session, chunk, 1)
    document = read.clean(read.session.parts(windows.one_slab(read.session, chunk, slab)))
    layout = made.layout(read.session, ())
    (passage,) = passages(document, render_context(document, read.reader()), layout)
    return views.SlabPart(spot=read.spot(), passage=passage, number=slab)


def _call(read: Read, step: str) -> Page:
    calls = read.session.executions({step})
    bare = read.session.document(limit=0, bodies=False)
    document = read.clean(structs.replace(bare, tool_executions=calls))
    made = views.step_part(document, step, read.reader(is_whole=True), read.spot())
    if made is None:
        raise NotFound("This session has no such step.")
    return made


def _agent(read: Read) -> Page:
    made = windows.plan(read.session, 0)
    document, _ = read.document(made)
    return views.agent_part(document, read.reader(), read.spot(), made.window.later)
