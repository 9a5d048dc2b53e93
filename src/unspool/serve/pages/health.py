"""`/health`: one calm line, or what is wrong and its cure."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency

from unspool.model.health import Finding
from unspool.serve.context import ServerContext
from unspool.serve.pages.response import page_response, page_shell
from unspool.show.html.health_page import health_page


@get("/health", include_in_schema=False, sync_to_thread=True)
def health(
    request: Request[Any, Any, Any], context: NamedDependency[ServerContext]
) -> Response[bytes]:
    """How roots, index, archive, prices and hooks stand."""
    found, trouble = context.health.findings(), context.health.health().trouble
    if trouble and all(one.grade != "wrong" for one in found):
        said, fix = " ".join(trouble), "unspool doctor"
        found = (Finding(about="server", grade="wrong", said=said, fix=fix), *found)
    around = page_shell(request, context, "Health", "health", "Health")
    clean = context.redactor.value(found)  # of the index there are figures only
    return page_response(request, health_page(clean, context.health.index(), around))
