"""`/files`: files that sessions edited, and each of their edits."""

from typing import Any, Final

from litestar import Request, Response, get
from litestar.di import NamedDependency

from unspool.model.edits import EditQuery
from unspool.serve.api.files import edited_files
from unspool.serve.context import ServerContext
from unspool.serve.pages.filters import machine_choices, page_query, project_choices
from unspool.serve.pages.response import LINKS, html_response, page_response, page_shell
from unspool.show.html.files_page import FilesContext, FilesPage, FilesPageQuery, files_page
from unspool.show.html.render import render_macro

_Request = Request[Any, Any, Any]
_FILES: Final = 20
_RECENT: Final = 5
_ALL: Final = 100  # of one file


@get("/files", include_in_schema=False, sync_to_thread=True)
def files(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """Recent edits, by file."""
    return page_response(request, _page(request, context))


@get("/part/files", include_in_schema=False, sync_to_thread=True)
def part(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """The files alone."""
    page = _page(request, context)
    return html_response(request, render_macro("files_pieces.html", "edited", page, LINKS))


def _page(request: _Request, context: ServerContext) -> FilesPage:
    query = page_query(request, FilesPageQuery)
    projects = context.projects.select(query.project, query.machine)
    asked = EditQuery(path=query.path, projects=projects, limit=_FILES)
    count = len(edited_files(context, asked, query.cursor, 1).items)
    recent = _ALL if count == 1 else _RECENT
    found = edited_files(context, asked, query.cursor, recent, has_inputs=True)
    beside = FilesContext(
        now=context.now(), projects=project_choices(context), machines=machine_choices(context)
    )
    around = page_shell(request, context, "Recent edits", "files", "Files")
    items = context.redactor.value(found.items)
    return files_page(query, items, around, beside, found.next_cursor or "")
