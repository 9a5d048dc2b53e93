"""A long session that is not in memory yet: its beginning at once, then `/part/rest/…`."""

from typing import Any, Final

from litestar import Request, Response, get
from litestar.di import NamedDependency
from msgspec import structs

from unspool.engine.sessions.session_cache import LockedSession
from unspool.model.document import SessionInfo, TotalMetrics
from unspool.serve.api.parameters import ProjectId, SessionId
from unspool.serve.context import ServerContext
from unspool.serve.pages.response import html_response, page_shell
from unspool.serve.pages.session import story, windows
from unspool.serve.pages.session.source import PageSource, open_source
from unspool.serve.pages.session.story import PageQuery
from unspool.show.html.levels import Level
from unspool.show.html.render import render
from unspool.show.html.session_page import LoadingPage, RestPart, loading_page
from unspool.show.html.shell import Shell
from unspool.show.labels import title_label

_Request = Request[Any, Any, Any]
# More than a window: its last chunk must be complete.
_ENOUGH: Final = 2 * windows.MESSAGES


def page(
    request: _Request, context: ServerContext, project: str, id: str, level: Level
) -> LoadingPage | None:
    """The page of its beginning; None if all of it is in memory, or soon will be."""
    session = context.open_sessions.beginning(project, id, _ENOUGH)
    known = _known(context, project, id) if session else None
    if session is None or known is None:
        return None
    plan = windows.plan_window(session, 0)
    if not plan.window.later:
        return None  # its last chunk may go on
    source = PageSource(
        context=context,
        held=LockedSession(session, "", {}),
        session=session,
        project=project,
        id=id,
    )
    about, spent = known
    strip = context.activity.strips([(project, id)]).get((project, id))
    marks = context.marks.of(project, id)
    return loading_page(
        about,
        spent,
        strip,
        source.reader(),
        shell=page_shell(
            request, context, title_label(about.title or about.goal or id), "session", "Sessions"
        ),
        spot=source.spot(level=level),
        passages=story.story_window(source, PageQuery()).passages,
        window=structs.replace(plan.window, latest=windows.LATEST, is_begun=True),
        pinned=marks.pinned,
        hidden=marks.hidden,
    )


def _known(
    context: ServerContext, project: str, id: str
) -> tuple[SessionInfo, TotalMetrics] | None:
    """Info and metrics from the index, without secrets."""
    row = context.sessions.listing().row(project, id)
    if row is None:
        return None
    clean = context.redactor.value
    return clean(row.session), clean(row.metrics)


@get("/part/rest/{project_id:str}/{session_id:str}", include_in_schema=False, sync_to_thread=True)
def rest(
    *,
    request: _Request,
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
) -> Response[bytes]:
    """The rest of the page, once all of the session is read."""
    with open_source(context, project_id, session_id) as source:
        page = story.page(source, Shell(title=""), PageQuery())
    values = {name: getattr(page, name) for name in page.__struct_fields__}
    return html_response(request, render(RestPart(**values), source.links))
