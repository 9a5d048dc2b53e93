"""`/part/…`: pieces of a session's page, fetched when they are opened or when it grew."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from msgspec import structs

from unspool.errors import NotFound
from unspool.serve.api.parameters import Agent, ProjectId, SessionId
from unspool.serve.api.session_request import has_tag
from unspool.serve.context import ServerContext
from unspool.serve.pages.response import html_response, not_modified
from unspool.serve.pages.session import story, windows
from unspool.serve.pages.session.parameters import (
    At,
    Begin,
    First,
    From,
    Limit,
    Short,
    Slab,
    StepId,
    To,
)
from unspool.serve.pages.session.source import PageSource, open_source
from unspool.serve.pages.session.story import PageQuery
from unspool.show.html import session_page as views
from unspool.show.html.passages import passages
from unspool.show.html.render import Page, render
from unspool.show.html.render_context import render_context
from unspool.show.html.session_sidebar import PlanPart
from unspool.show.html.shell import Shell
from unspool.show.html.step_columns import step_columns
from unspool.show.html.step_types import AnswerBlock

_Request = Request[Any, Any, Any]
_LONG = 100
_WHERE = "{project_id:str}/{session_id:str}"


@get(f"/part/window/{_WHERE}", include_in_schema=False, sync_to_thread=True)
def window(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: _Request,
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
    first: First = 0,
    limit: Limit = windows.CHUNKS,
    slab: Slab = -1,
) -> Response[bytes]:
    """Passages from a chunk on, or some steps of one long answer."""
    with open_source(context, project_id, session_id, agent) as source:
        tag = source.version
        if has_tag(request.headers.get("if-none-match"), tag):
            return not_modified(tag)
        part = _window(source, first, limit) if slab < 0 else _slab(source, first, slab)
    return html_response(request, render(part, source.links), tag=tag)


@get(f"/part/step/{_WHERE}/{{step:str}}", include_in_schema=False, sync_to_thread=True)
def step(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: _Request,
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    step: StepId,
    agent: Agent = None,
    short: Short = False,
) -> Response[bytes]:
    """A call in full, or cut as on its page; of an agent's id, what that agent did."""
    with open_source(context, project_id, session_id) as outer:
        whose = step if any(one.id == step for one in outer.session.agents) else agent
    with open_source(context, project_id, session_id, whose) as source:
        part = _agent(source) if whose == step else _call(source, step, is_whole=not short)
    return html_response(request, render(part, source.links))


@get(f"/part/tail/{_WHERE}", include_in_schema=False, sync_to_thread=True)
def tail(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: _Request,
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
    first: First = 0,
    limit: Limit = windows.CHUNKS,
    begin: Begin = -1,
) -> Response[bytes]:
    """For a page that follows a session: all from a chunk on, and the figures around it."""
    with open_source(context, project_id, session_id, agent) as source:
        tag = source.version
        if has_tag(request.headers.get("if-none-match"), tag):
            return not_modified(tag)
        page = story.page(source, Shell(title=""), PageQuery(first=first, limit=limit, begin=begin))
    values = {name: getattr(page, name) for name in page.__struct_fields__}
    if len(page.marks) > _LONG and not any(one.opens for one in page.passages[1:]):
        values["marks"] = ()  # the outline of many turns is sent when there is a new one
    body = render(views.TailPart(**values), source.links)
    return html_response(request, body, tag="" if page.again else tag)


@get(f"/part/range/{_WHERE}", include_in_schema=False, sync_to_thread=True)
def range_part(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: _Request,
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
    range_from: From = "",
    range_to: To = "",
    at: At = "",
    short: Short = False,
) -> Response[bytes]:
    """All that a range of steps changes on a page, or only its first screen, which is there sooner.

    Without a range, the page from its beginning, or around a step that its beginning lacks.
    """
    query = PageQuery(ends=(range_from, range_to), at=at, is_start_preferred=True, short=short)
    with open_source(context, project_id, session_id, agent) as source:
        part = _range_start(source, query) if short else _range(source, query)
    return html_response(request, render(part, source.links))


@get(f"/part/steps/{_WHERE}", include_in_schema=False, sync_to_thread=True)
def steps_part(
    *,
    request: _Request,
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
) -> Response[bytes]:
    """The steps behind the spool, as columns of JSON, for the script that reads the pointer."""
    with open_source(context, project_id, session_id, agent) as source:
        tag = source.version
        if has_tag(request.headers.get("if-none-match"), tag):
            return not_modified(tag)
        columns = step_columns(source.overview, source.reader().zone)
        headers = {} if source.outdated_ms else {"etag": tag}
    return Response(columns, media_type="application/json", headers=headers)


@get(f"/part/plan/{_WHERE}", include_in_schema=False, sync_to_thread=True)
def plan(
    *,
    request: _Request,
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
) -> Response[bytes]:
    """The text of the plan that a session wrote."""
    with open_source(context, project_id, session_id) as source:
        text = source.session.plan()
        if text is None:
            raise NotFound("This session has no plan.")
        part = PlanPart(text=context.redactor.text(text))
    return html_response(request, render(part, source.links))


@get(f"/part/at/{_WHERE}/{{step:str}}", include_in_schema=False, sync_to_thread=True)
def at(
    *,
    request: _Request,
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    step: StepId,
    agent: Agent = None,
) -> Response[bytes]:
    """The window around a step."""
    with open_source(context, project_id, session_id, agent) as source:
        found = story.story_window(source, PageQuery(at=step))
        part = views.WindowPart(
            spot=source.spot(at=found.at, branch=found.branch),
            passages=found.passages,
            window=found.plan.window,
        )
    return html_response(request, render(part, source.links))


def _range(source: PageSource, query: PageQuery) -> Page:
    page = story.page(source, Shell(title=""), query)
    values = {name: getattr(page, name) for name in page.__struct_fields__}
    values["spot"] = structs.replace(page.spot, at="")  # the reader is there, and marks nothing
    return views.RangePart(**values)


def _range_start(source: PageSource, query: PageQuery) -> Page:
    found = story.story_window(source, query)
    return views.RangeStartPart(
        spot=source.spot(), passages=found.passages, window=found.plan.window, range=found.range
    )


def _window(source: PageSource, first: int, limit: int) -> Page:
    plan = windows.plan_window(source.session, first, limit)
    document, layout = source.document(plan)
    reader, spot = source.reader(), source.spot()
    return views.window_part(document, reader, spot, layout, plan.window)


def _slab(source: PageSource, chunk: int, slab: int) -> Page:
    if chunk >= len(source.session.fold.chunks.spans):
        raise NotFound("This session has no such passage.")
    plan = windows.plan_window(source.session, chunk, 1)
    document = source.clean(source.session.parts(windows.one_slab(source.session, chunk, slab)))
    layout = plan.layout(source.session, ())
    (passage,) = passages(document, render_context(document, source.reader()), layout)
    if not isinstance(passage.block, AnswerBlock):
        raise NotFound("This passage has no steps.")
    return views.SlabPart(spot=source.spot(), passage=passage, number=slab)


def _call(source: PageSource, step: str, *, is_whole: bool) -> Page:
    calls = source.session.executions({step})
    bare = source.session.document(limit=0, bodies=False)
    document = source.clean(structs.replace(bare, tool_executions=calls))
    part = views.step_part(document, step, source.reader(is_whole=is_whole), source.spot())
    if part is None:
        raise NotFound("This session has no such step.")
    return part


def _agent(source: PageSource) -> Page:
    plan = windows.plan_window(source.session, 0)
    document, _ = source.document(plan)
    tape, later = source.overview.tape, plan.window.later
    return views.agent_part(document, source.reader(), source.spot(), tape, later)
