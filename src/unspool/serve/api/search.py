"""`/api/search`: full-text search over all sessions."""

from datetime import date
from typing import Annotated, Final

from litestar import get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from msgspec import structs

from unspool.engine.dates import midnight
from unspool.model.api import SearchAnswer
from unspool.model.query import SearchOrder, TextQuery
from unspool.serve.api.parameters import (
    Cursor,
    MachineName,
    PageSize,
    ProjectPart,
    TextKind,
    no_null,
)
from unspool.serve.context import ServerContext
from unspool.serve.pagination import decode_cursor, encode_cursor

_MAX_LINE: Final = 2**63 - 1
_ORDER: Final = (
    "`ranked` sorts the newest 10,000 matching lines, best first. Its pages continue like those "
    "of `newest`; lines written between two requests may move a line to another page."
)


@get(
    "/api/search",
    operation_id="search",
    before_request=no_null("kind", "since", "until"),
    sync_to_thread=True,
)
def search(  # noqa: PLR0913 - each is a parameter of the address
    *,
    context: NamedDependency[ServerContext],
    q: Annotated[str, QueryParameter(max_length=256)],
    project: ProjectPart = "",
    machine: MachineName = "",
    session: Annotated[str, QueryParameter(max_length=128)] = "",
    kind: Annotated[TextKind | None, QueryParameter()] = None,
    since: Annotated[date | None, QueryParameter()] = None,
    until: Annotated[date | None, QueryParameter()] = None,
    order: Annotated[SearchOrder, QueryParameter(description=_ORDER)] = "newest",
    cursor: Cursor = "",
    limit: PageSize = 20,
) -> SearchAnswer:
    """Lines with all the words, `"a phrase"` or `begin*`; days are this machine's local days."""
    query = TextQuery(
        terms=q,
        projects=context.projects.select(project, machine),
        session=session,
        kinds=(kind,) if kind else (),
        since=midnight(since) if since else None,
        until=midnight(until, days=1) if until else None,
        order=order,
        limit=limit,
    )
    return search_answer(context, query, cursor)


def search_answer(context: ServerContext, query: TextQuery, cursor: str = "") -> SearchAnswer:
    """A page of results. No patterns: a slow one would delay everybody."""
    before = decode_cursor(cursor, int)
    if before is not None:
        query = structs.replace(query, before=min(max(before, 0), _MAX_LINE))
    page = context.search.find(query)
    return SearchAnswer(
        items=page.items,
        next_cursor=None if page.cursor is None else encode_cursor(page.cursor),
        is_partial=page.is_partial,
    )
