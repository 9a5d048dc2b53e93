"""Whatever went wrong, for a browser: a small page that says so, and the ways on."""

from collections.abc import Callable
from typing import Any, TypeAlias

from litestar import Request, Response
from msgspec import UNSET

from unspool.serve.desk import Desk
from unspool.serve.pages import answer
from unspool.serve.pages.theme import chosen
from unspool.serve.problems import Problem, answered, problem
from unspool.show.html.shell import Shell, problem_page

_Request: TypeAlias = Request[Any, Any, Any]


def pages(desk: Desk) -> Callable[[_Request, Exception], Response[Any]]:
    """What answers for all routes: a page to whoever looks at pages, else a problem document."""

    def shown(request: _Request, error: Exception) -> Response[Any]:
        plain = answered(request, error)
        if not _is_page(request):
            return plain
        made = desk.around.redactor.value(problem(error))
        demo, theme = desk.around.demo, chosen(request)
        shell = Shell(title=made.title, name="problem", demo=demo, theme=theme)
        page = answer.page(request, problem_page(made.status, made.title, _said(made), shell))
        page.status_code, page.headers["cache-control"] = made.status, "no-store"
        return page

    return shown


def _is_page(request: _Request) -> bool:
    wants_page = "text/html" in request.headers.get("accept", "")
    path = request.url.path
    return wants_page and request.method == "GET" and not path.startswith(("/api/", "/schema"))


def _said(made: Problem) -> str:
    return "" if made.detail is UNSET else made.detail
