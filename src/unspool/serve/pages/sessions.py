"""`/sessions`, `/projects`, one project, and the part of them that changes: the list."""

from collections.abc import Sequence
from math import isfinite
from typing import Annotated, Any, get_args

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from msgspec import structs

from unspool.engine import dates
from unspool.engine.sessions.session_list import MAX_SCANNED, ListCursor, SessionFilter, Sort
from unspool.engine.usage.spending import spend_of_days
from unspool.errors import NotFound
from unspool.model.document import StatusName
from unspool.model.session import SessionSummary
from unspool.model.usage import Spend
from unspool.serve.api.parameters import ProjectId
from unspool.serve.api.sessions import session_list
from unspool.serve.context import ServerContext
from unspool.serve.pages.filters import filter_choices, page_query, parse_day
from unspool.serve.pages.response import LINKS, html_response, page_response, page_shell
from unspool.serve.pagination import decode_cursor
from unspool.serve.problems import BadRequest
from unspool.show.html.projects_page import projects_page
from unspool.show.html.render import render_macro
from unspool.show.html.sessions_page import (
    SessionListContext,
    SessionListQuery,
    SessionsPage,
    row_day,
    sessions_page,
)

_Request = Request[Any, Any, Any]
_LIMIT = 50
_PINNED = 20


@get("/sessions", include_in_schema=False, sync_to_thread=True)
def sessions(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """Every session, filtered and sorted as the address says."""
    return page_response(request, _page(request, context))


@get("/part/sessions", include_in_schema=False, sync_to_thread=True)
def part(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """The list alone."""
    return _list(request, _page(request, context))


@get("/projects", include_in_schema=False, sync_to_thread=True)
def projects(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """Every project."""
    found = [context.redactor.value(one) for one in context.projects.all()]
    around = page_shell(request, context, "Projects", "projects", "Projects")
    return page_response(request, projects_page(found, around, context.now()))


@get("/projects/{project_id:str}", include_in_schema=False, sync_to_thread=True)
def project(
    request: _Request, context: NamedDependency[ServerContext], project_id: ProjectId
) -> Response[bytes]:
    """The sessions of one project."""
    return page_response(request, _page(request, context, project_id))


@get("/part/sessions/{project_id:str}", include_in_schema=False, sync_to_thread=True)
def project_part(
    request: _Request, context: NamedDependency[ServerContext], project_id: ProjectId
) -> Response[bytes]:
    """Their list alone."""
    return _list(request, _page(request, context, project_id))


@get("/jump", include_in_schema=False, sync_to_thread=True)
def jump(
    context: NamedDependency[ServerContext], id: Annotated[str, QueryParameter(max_length=128)]
) -> Response[bytes]:
    """To the session of an id, or of the beginning of one."""
    found = context.scope.sessions_by_prefix(id.strip())
    if not found:
        raise NotFound("There is no such session.")
    place = LINKS.session(found[0].project_id, found[0].session_id)
    return Response(b"", status_code=303, headers={"location": place})


def _list(request: _Request, page: SessionsPage) -> Response[bytes]:
    return html_response(request, render_macro("sessions_pieces.html", "list", page, LINKS))


def _page(request: _Request, context: ServerContext, only: str = "") -> SessionsPage:
    query = _query(request)
    found = context.projects.find(only, separate=bool(query.separate)) if only else None
    if only and found is None:
        raise NotFound("There is no such project.")
    checkouts = found.checkout_ids if found else None
    row_filter = _filter(query, checkouts)
    listed = session_list(context, row_filter)
    plain = not (query.is_narrow or query.cursor or query.sort)
    pins = SessionFilter(only=checkouts, pinned=True, limit=_PINNED)
    pinned = context.sessions.page(pins).items if plain else ()
    counts = context.sessions.counts(row_filter)
    clean = context.redactor.value
    rows: Sequence[SessionSummary] = clean(listed.items)
    beside = SessionListContext(
        now=context.now(),
        strips=_strips(context, (*rows, *pinned)),
        spools=context.spools,
        choices=filter_choices(context),
        machine_of=context.config.machine_of,
        pinned=clean(pinned),
        project=clean(found),
        total=counts.total,
        statuses=counts.statuses,
        scanned=MAX_SCANNED if counts.is_partial else None,
        spent=_spent(context, rows, query, checkouts),
    )
    title = beside.project.name if beside.project else "Sessions"
    current = "Projects" if beside.project else "Sessions"
    around = page_shell(request, context, title, "sessions", current)
    shown = SessionListQuery(**query.but(cursor=query.cursor, more=listed.next_cursor or ""))
    return sessions_page(rows, around, shown, beside)


def _spent(
    context: ServerContext,
    rows: Sequence[SessionSummary],
    query: SessionListQuery,
    checkouts: tuple[str, ...] | None,
) -> dict[str, Spend] | None:
    """What the days of the list cost; None where it leaves out some of their sessions."""
    days = [day for row in rows if (day := row_day(row, query, None))]
    if not days or any(query.but(sort="", project="", machine="", since="", until="").values()):
        return None
    since, until = dates.midnight(min(days)), dates.midnight(max(days), days=1)
    projects = context.projects.select(query.project, query.machine)
    if checkouts is not None:
        projects = tuple(filter(context.config.of_machine(query.machine), checkouts))
    return spend_of_days(context.store, since, until, projects, context.scope.current())


def _strips(context: ServerContext, rows: Sequence[SessionSummary]) -> dict[str, Any]:
    found = context.activity.strips((row.session.project_id, row.session.id) for row in rows)
    return {f"{project}/{id}": strip for (project, id), strip in found.items()}


def _query(request: _Request) -> SessionListQuery:
    return structs.replace(page_query(request, SessionListQuery), more="")  # that is ours to say


def _filter(query: SessionListQuery, only: tuple[str, ...] | None) -> SessionFilter:
    if query.status not in ("", *get_args(StatusName)) or query.sort not in ("", *get_args(Sort)):
        raise BadRequest("Unknown status, or unknown order.")
    since, until = parse_day(query.since), parse_day(query.until)
    return SessionFilter(
        only=only,
        project="" if only else query.project,
        words=query.q,
        status=query.status,
        branch=query.branch,
        model=query.model,
        machine=query.machine,
        since=dates.midnight(since) if since else None,
        until=dates.midnight(until, days=1) if until else None,
        least=_dollars(query.least),
        sort=query.sort or "newest",  # type: ignore[arg-type]
        pinned=query.show == "pinned",
        hidden=query.show == "hidden",
        after=decode_cursor(query.cursor, ListCursor),
        limit=_LIMIT,
    )


def _dollars(text: str) -> float | None:
    try:
        usd = float(text) if text else None
    except ValueError:
        usd = float("nan")
    if usd is not None and not isfinite(usd):
        raise BadRequest("Write dollars as 1.50.")
    return usd
