"""`/patterns`: every component in every state."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency

from unspool.serve.context import ServerContext
from unspool.serve.pages.response import page_response, page_shell
from unspool.show.html.patterns_page import patterns_page


@get("/patterns", include_in_schema=False, sync_to_thread=True)
def patterns(
    request: Request[Any, Any, Any], context: NamedDependency[ServerContext]
) -> Response[bytes]:
    """Always the same, except for the shell."""
    return page_response(
        request, patterns_page(page_shell(request, context, "Patterns", "patterns"))
    )
