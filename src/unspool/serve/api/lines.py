"""`/api/blob`: images and long results of a line. `/api/reveal`: its text with its secrets."""

from ipaddress import ip_address
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import PathParameter

from unspool.model.api import RevealedLine
from unspool.serve.api.parameters import EventId, client_address
from unspool.serve.context import ServerContext
from unspool.serve.openapi import FILE_CSP, file_response
from unspool.serve.problems import Refused

_PLAIN: Final = "application/octet-stream"
_KINDS: Final = ("image/png", "image/jpeg", "image/gif", "image/webp", _PLAIN)


@get(
    "/api/blob/{event_id:str}/{n:int}",
    operation_id="getBlob",
    operation_class=file_response(*_KINDS),
    sync_to_thread=True,
)
def blob(
    context: NamedDependency[ServerContext],
    event_id: EventId,
    n: Annotated[int, PathParameter(ge=0)],
) -> Response[bytes]:
    """An image of a line, or a document or long result to download."""
    found = context.lines.blob(event_id, n)
    image = None if found.is_text else found.image
    data = found.data
    if found.is_text:
        text = data.decode("utf-8", "surrogateescape")
        data = context.redactor.text(text).encode("utf-8", "surrogateescape")
    shown = "inline" if image else f'attachment; filename="{event_id}-{n}.bin"'
    headers = {"content-security-policy": FILE_CSP, "content-disposition": shown}
    return Response(data, media_type=image or _PLAIN, headers=headers)


async def _as_it_is(response: Response[Any]) -> Response[Any]:
    """The one answer from which nothing is taken out."""
    return response


@post(
    "/api/reveal/{event_id:str}",
    operation_id="reveal",
    status_code=200,
    after_request=_as_it_is,
    sync_to_thread=True,
)
def reveal(
    request: Request[Any, Any, Any], context: NamedDependency[ServerContext], event_id: EventId
) -> RevealedLine:
    """A line's text with its secrets, for a page on this machine; each request is logged."""
    who = client_address(request)
    # The policy admits no other origin: a request that names one comes from our own page.
    if not _is_here(who) or "origin" not in request.headers:
        raise Refused(403, "Only a page on this machine may ask for secrets.")
    return context.lines.reveal(event_id, context.reveals, who)


def _is_here(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
