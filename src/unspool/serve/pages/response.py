"""HTML responses: whole pages with the shell around them, parts of pages, error pages."""

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Final, TypeAlias

from litestar import Request, Response
from msgspec import UNSET

from unspool.derive.reading.clock import iso
from unspool.derive.usage.quota import paces
from unspool.engine.quota import latest_quota
from unspool.serve.api.session_request import has_tag
from unspool.serve.context import ServerContext
from unspool.serve.pages.theme import chosen_theme
from unspool.serve.problems import Problem, problem_response
from unspool.show.html.links import LiveLinks
from unspool.show.html.render import Page, render
from unspool.show.html.shell import Shell, problem_page, quota_bars, spark
from unspool.show.numbers import format_usd
from unspool.show.times import clock

LINKS: Final = LiveLinks()
MEDIA_TYPE: Final = "text/html"
_Request: TypeAlias = Request[Any, Any, Any]


def page_response(request: _Request, page: Page, status: int = 200) -> Response[bytes]:
    """A whole page. Its content must be redacted already: see `context.redactor`."""
    return html_response(request, render(page, LINKS), status)


def html_response(
    request: _Request, text: str, status: int = 200, tag: str = ""
) -> Response[bytes]:
    """A page or a part of one with its ETag; `tag` is its version, if that is known."""
    body = text.encode("utf-8", "replace")
    tag = tag or f'W/"{blake2b(body, digest_size=12).hexdigest()}"'
    if status == 200 and has_tag(request.headers.get("if-none-match"), tag):
        return not_modified(tag)
    return Response(body, status_code=status, media_type=MEDIA_TYPE, headers=_headers(tag))


def not_modified(tag: str) -> Response[bytes]:
    """304: the client has it."""
    return Response(b"", status_code=304, headers=_headers(tag))


def page_shell(
    request: _Request, context: ServerContext, title: str, name: str = "", current: str = ""
) -> Shell:
    """The frame of a page; `name` is its class, `current` its entry in the navigation."""
    pulse = context.recent_spend.current()
    block = pulse.block
    query, now = request.url.query, context.now()
    return Shell(
        title=title,
        name=name,
        current=current,
        block=format_usd(block.spend.usd) if block else "",
        block_ends=clock(iso(block.end)) if block else "",
        quota=quota_bars(paces(latest_quota(str(context.config.home)), now), now),
        demo=context.config.demo,
        tour=context.config.tour,
        theme=chosen_theme(request),
        here=request.url.path + (f"?{query}" if query else ""),
        today=format_usd(pulse.today.usd, at_least=pulse.today.is_least),
        spark=spark(pulse.dollars),
        has_machines=context.config.fleet is not None,
    )


def error_handler(context: ServerContext) -> Callable[[_Request, Exception], Response[Any]]:
    """Errors of all routes: a page for a browser that wants one, else a problem document."""

    def respond(request: _Request, error: Exception) -> Response[Any]:
        document = problem_response(request, error)
        # An error may name a file; no hook of a route sees this response.
        document.content = found = context.redactor.value(document.content)
        if not _wants_page(request):
            return document
        config, theme = context.config, chosen_theme(request)
        shell = Shell(
            title=found.title,
            name="problem",
            demo=config.demo,
            tour=config.tour,
            theme=theme,
            has_machines=config.fleet is not None,
        )
        page = problem_page(found.status, found.title, _detail(found), shell)
        response = page_response(request, page)
        response.status_code, response.headers["cache-control"] = found.status, "no-store"
        return response

    return respond


def _wants_page(request: _Request) -> bool:
    wants_html = "text/html" in request.headers.get("accept", "")
    path = request.url.path
    return wants_html and request.method == "GET" and not path.startswith(("/api/", "/schema"))


def _detail(found: Problem) -> str:
    return "" if found.detail is UNSET else found.detail


def _headers(tag: str) -> dict[str, str]:
    return {"etag": tag, "cache-control": "private, no-cache"}
