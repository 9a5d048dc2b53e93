"""The way in for a browser: the printed token is swapped for a cookie."""

from typing import Any

from litestar import Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.params import JSONBody
from msgspec import Struct

from unspool.serve.door.entry import SCRIPT, STYLE
from unspool.serve.door.visit import ENTER, Door
from unspool.serve.problems import Refused


class Invitation(Struct, frozen=True):
    """A code that stands for the token once, within a minute."""

    code: str


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """What the printed address carries in its fragment."""

    token: str


@post(ENTER, status_code=204, sync_to_thread=False)
def enter(
    request: Request[Any, Any, Any], door: NamedDependency[Door], data: JSONBody[Entry]
) -> Response[None]:
    """Swap the token for a cookie."""
    refusal = door.enters(data.token, request.client.host if request.client else "")
    if refusal is not None:
        raise Refused(refusal.status, refusal.detail)
    tokens = door.tokens
    cookie = Cookie(
        key=tokens.cookie_name,
        value=tokens.cookie,
        httponly=True,
        samesite="strict",
        secure=door.scheme == "https",
        path="/",
    )
    return Response(None, status_code=204, cookies=[cookie])


@post("/api/invitations", status_code=201, sync_to_thread=False)
def invite(door: NamedDependency[Door]) -> Invitation:
    """A code for an address that others may see: it lets one browser in."""
    return Invitation(door.invite())


@get("/static/enter.js", include_in_schema=False, sync_to_thread=False)
def script() -> Response[bytes]:
    """The script that does it."""
    return Response(SCRIPT, media_type="text/javascript")


@get("/static/enter.css", include_in_schema=False, sync_to_thread=False)
def style() -> Response[bytes]:
    """What its page looks like."""
    return Response(STYLE, media_type="text/css")
