"""`/search`: lines of any session by the words in them, grouped by session."""

import re
from typing import Any, Final, get_args

from litestar import Request, Response, get
from litestar.di import NamedDependency

from unspool.engine import dates
from unspool.model.api import SearchAnswer
from unspool.model.query import SearchOrder, TextQuery
from unspool.model.rows import TextKind
from unspool.serve.api.search import search_answer
from unspool.serve.context import ServerContext
from unspool.serve.pages.filters import parse_day, project_choices
from unspool.serve.pages.response import page_response, page_shell
from unspool.serve.problems import BadRequest
from unspool.show.html.search_page import SearchContext, SearchPageQuery, search_page
from unspool.show.labels import title_label

_Request = Request[Any, Any, Any]
_LIMIT: Final = 40
_ID: Final = re.compile(r"[0-9a-f]{8}[0-9a-f-]{0,28}")


@get("/search", include_in_schema=False, sync_to_thread=True)
def search(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """What was found."""
    query = _query(request)
    found = (
        search_answer(context, _text_query(context, query), query.cursor)
        if query.q.strip()
        else SearchAnswer()
    )
    clean = context.redactor
    beside = SearchContext(
        now=context.now(),
        projects=project_choices(context),
        jump=_jump(context, query.q.strip().lower()),
    )
    title = f"Search: {query.q}" if query.q else "Search"
    around = page_shell(request, context, title, "search", "Search")
    return page_response(request, search_page(query, clean.value(found), around, beside))


def _jump(context: ServerContext, words: str) -> tuple[str, str, str] | None:
    found = context.scope.sessions_by_prefix(words) if _ID.fullmatch(words) else []
    if not found:
        return None
    one = context.redactor.value(found[0])
    return one.project_id, one.session_id, title_label(one.title or one.goal or one.session_id)


def _query(request: _Request) -> SearchPageQuery:
    values = {
        name: value[:1_000]
        for name in SearchPageQuery.__struct_fields__
        if isinstance(value := request.query_params.get(name), str)
    }
    return SearchPageQuery(**{**values, "q": values.get("q", "")[:256]})


def _text_query(context: ServerContext, query: SearchPageQuery) -> TextQuery:
    if query.kind not in ("", *get_args(TextKind)) or query.order not in (
        "",
        *get_args(SearchOrder),
    ):
        raise BadRequest("There is no such kind of line, or no such order.")
    since, until = parse_day(query.since), parse_day(query.until)
    return TextQuery(
        terms=query.q,
        projects=context.projects.select(query.project),
        session=query.session,
        kinds=(query.kind,) if query.kind else (),  # type: ignore[arg-type]
        since=dates.midnight(since) if since else None,
        until=dates.midnight(until, days=1) if until else None,
        order=query.order or "newest",  # type: ignore[arg-type]
        limit=_LIMIT,
    )
