"""`/search`: lines of any session by the words in them, grouped by session."""

import re
from typing import Any, Final, get_args

from litestar import Request, Response, get
from litestar.di import NamedDependency
from msgspec import structs

from unspool.engine import dates
from unspool.model.query import SearchOrder, TextQuery
from unspool.model.rows import TextKind
from unspool.model.search import MatchedSessions
from unspool.serve.context import ServerContext
from unspool.serve.pages.filters import machine_choices, page_query, parse_day, project_choices
from unspool.serve.pages.response import LINKS, html_response, page_response, page_shell
from unspool.serve.pagination import decode_cursor, encode_cursor
from unspool.serve.problems import BadRequest
from unspool.show.html.render import render_macro
from unspool.show.html.search_page import (
    SearchContext,
    SearchPage,
    SearchPageQuery,
    search_page,
)
from unspool.show.labels import title_label

_Request = Request[Any, Any, Any]
_MOST: Final = 1_000_000
_LONGEST: Final = 256
_ID: Final = re.compile(r"[0-9a-f]{8}[0-9a-f-]{0,28}")


@get("/search", include_in_schema=False, sync_to_thread=True)
def search(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """Sessions with what was found in them."""
    return page_response(request, _page(request, context))


@get("/part/search", include_in_schema=False, sync_to_thread=True)
def part(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """The results alone."""
    page = _page(request, context)
    return html_response(request, render_macro("search_pieces.html", "results", page, LINKS))


def _page(request: _Request, context: ServerContext) -> SearchPage:
    query = _query(request)
    found = MatchedSessions()
    if query.q.strip():
        first = min(max(decode_cursor(query.cursor, int) or 0, 0), _MOST)
        found = context.search.find_sessions(_text_query(context, query), first)
    clean = context.redactor
    title = f"Search: {query.q}" if query.q else "Search"
    around = page_shell(request, context, title, "search", "Search")
    cursor = encode_cursor(found.next) if found.next is not None else ""
    return search_page(query, clean.value(found), around, _context(context, query, found), cursor)


def _context(
    context: ServerContext, query: SearchPageQuery, found: MatchedSessions
) -> SearchContext:
    names = [(one.project_id, one.session_id) for one in found.groups]
    rows = context.redactor.value(context.sessions.named(names))
    sessions = {(row.session.project_id, row.session.id): row for row in rows}
    return SearchContext(
        now=context.now(),
        projects=project_choices(context),
        machines=machine_choices(context),
        jump=_jump(context, query.q.strip().lower()),
        sessions=sessions,
        strips=context.activity.strips(sessions),
        spools=context.spools,
    )


def _jump(context: ServerContext, words: str) -> tuple[str, str, str] | None:
    found = context.scope.sessions_by_prefix(words) if _ID.fullmatch(words) else []
    if not found:
        return None
    one = context.redactor.value(found[0])
    return one.project_id, one.session_id, title_label(one.title or one.goal or one.session_id)


def _query(request: _Request) -> SearchPageQuery:
    query = page_query(request, SearchPageQuery)
    return structs.replace(query, q=query.q[:_LONGEST])


def _text_query(context: ServerContext, query: SearchPageQuery) -> TextQuery:
    if query.kind not in ("", *get_args(TextKind)) or query.order not in (
        "",
        *get_args(SearchOrder),
    ):
        raise BadRequest("Unknown kind of line, or unknown order.")
    since, until = parse_day(query.since), parse_day(query.until)
    return TextQuery(
        terms=query.q,
        projects=context.projects.select(query.project, query.machine),
        session=query.session,
        kinds=(query.kind,) if query.kind else (),  # type: ignore[arg-type]
        since=dates.midnight(since) if since else None,
        until=dates.midnight(until, days=1) if until else None,
        order=query.order or "newest",  # type: ignore[arg-type]
    )
