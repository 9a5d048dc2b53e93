"""HTML -> an answer: never cached without asking, and not sent again where it is the same."""

from hashlib import blake2b
from typing import Any, Final

from litestar import Request, Response

from unspool.serve.api.session_request import has_tag
from unspool.show.html.links import LiveLinks
from unspool.show.html.render import Page, render

LINKS: Final = LiveLinks()
MEDIA_TYPE: Final = "text/html"


def page(request: Request[Any, Any, Any], made: Page, status: int = 200) -> Response[bytes]:
    """A whole page. What it is made of must be clean already: see `desk.around.redactor`."""
    return html(request, render(made, LINKS), status)


def html(
    request: Request[Any, Any, Any], text: str, status: int = 200, tag: str = ""
) -> Response[bytes]:
    """Text of ours, whole or a part of a page; `tag` is its version, where that is known."""
    body = text.encode("utf-8", "replace")
    tag = tag or f'W/"{blake2b(body, digest_size=12).hexdigest()}"'
    if status == 200 and has_tag(request.headers.get("if-none-match"), tag):
        return unchanged(tag)
    return Response(body, status_code=status, media_type=MEDIA_TYPE, headers=_headers(tag))


def unchanged(tag: str) -> Response[bytes]:
    """Nothing, since whoever asks has it."""
    return Response(b"", status_code=304, headers=_headers(tag))


def _headers(tag: str) -> dict[str, str]:
    return {"etag": tag, "cache-control": "private, no-cache"}
