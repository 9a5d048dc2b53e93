"""How a browser signs in and out: a one-time code, or the token, is exchanged for a cookie."""

from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qs

from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from msgspec import Struct

from unspool.serve.auth.entrance import MEDIA_TYPE, SIGNED_OUT, next_page, sign_in_page
from unspool.serve.auth.policy import (
    ENTER,
    ENTER_FORM,
    LOG_OUT,
    VISITOR,
    AccessPolicy,
    OneTimeCode,
    Refusal,
    RequestInfo,
    SignedIn,
    request_info,
)
from unspool.serve.bodies import refuse_deep
from unspool.serve.places import own_path
from unspool.serve.problems import Refused

_Request: TypeAlias = Request[Any, Any, Any]
_STATIC: Final = Path(__file__).parent.parent / "static"
SCRIPT: Final = (_STATIC / "enter.js").read_bytes()
STYLE: Final = (_STATIC / "enter.css").read_bytes()
_SIGNED_IN: Final = ResponseSpec(None, description="Signed in: the cookie is set.")


class SignIn(Struct, frozen=True, forbid_unknown_fields=True):
    """What an address has in its fragment: a one-time code, or the token."""

    token: str


@post(
    ENTER,
    status_code=200,
    responses={204: _SIGNED_IN},
    before_request=refuse_deep,
    sync_to_thread=True,
)
def enter(
    request: _Request, policy: NamedDependency[AccessPolicy], data: JSONBody[SignIn]
) -> Response[OneTimeCode]:
    """Exchange a one-time code or the token for the cookie.

    Under a name where no browser is signed in, the answer is 200 with another code and the address
    to use it at.
    """
    info = request_info("http", request.scope)
    done = policy.sign_in(data.token, info)
    if isinstance(done, Refusal):
        raise Refused(done.status, done.detail)
    if done.invitation is not None:
        return Response(done.invitation, status_code=200)
    signed_in: Response[Any] = Response(None, status_code=204, cookies=_cookies(policy, info, done))
    return signed_in


@get(ENTER_FORM, include_in_schema=False, sync_to_thread=False)
def enter_page(request: _Request, policy: NamedDependency[AccessPolicy]) -> Response[bytes]:
    """What the printed address opens; other pages answer 401 until a browser is signed in."""
    info = request_info("http", request.scope)
    return Response(sign_in_page(policy, info.host), media_type=MEDIA_TYPE)


@post(ENTER_FORM, include_in_schema=False, status_code=200)
async def enter_form(request: _Request, policy: NamedDependency[AccessPolicy]) -> Response[bytes]:
    """The same for a browser without scripts, which is then sent to the page it asked for."""
    info = request_info("http", request.scope)
    fields = parse_qs((await request.body()).decode("utf-8", "replace"))
    code, to = (fields.get(name, [""])[0] for name in ("code", "to"))
    done = await sync_to_thread(policy.sign_in, code.strip(), info)
    if isinstance(done, Refusal):
        page = sign_in_page(policy, info.host, done.detail, own_path(to))
        return Response(page, status_code=done.status, media_type=MEDIA_TYPE)
    if done.invitation is not None:
        return Response(next_page(done.invitation), media_type=MEDIA_TYPE)
    headers = {"location": own_path(to)}
    return Response(b"", status_code=303, headers=headers, cookies=_cookies(policy, info, done))


@post(LOG_OUT, include_in_schema=False, status_code=200, sync_to_thread=True)
def log_out(request: _Request, policy: NamedDependency[AccessPolicy]) -> Response[bytes]:
    """Sign this browser out: its cookie is never accepted again."""
    info = request_info("http", request.scope)
    policy.log_out(info)
    page = sign_in_page(policy, info.host, SIGNED_OUT)
    return Response(page, media_type=MEDIA_TYPE, cookies=[_cookie(policy, info, "", max_age=0)])


@post("/api/invitations", status_code=201, sync_to_thread=True)
def invite(request: _Request, policy: NamedDependency[AccessPolicy]) -> OneTimeCode:
    """A one-time code, for an address that others may see."""
    return policy.invitation(request.scope.get(VISITOR))


@get("/static/enter.js", include_in_schema=False, sync_to_thread=False)
def script() -> Response[bytes]:
    """The script of the sign-in page."""
    return Response(SCRIPT, media_type="text/javascript")


@get("/static/enter.css", include_in_schema=False, sync_to_thread=False)
def style() -> Response[bytes]:
    """The style of the sign-in page."""
    return Response(STYLE, media_type="text/css")


def _cookies(policy: AccessPolicy, info: RequestInfo, done: SignedIn) -> list[Cookie]:
    return [_cookie(policy, info, done.cookie)] if done.cookie else []


def _cookie(
    policy: AccessPolicy, info: RequestInfo, value: str, max_age: int | None = None
) -> Cookie:
    return Cookie(
        key=policy.tokens.cookie_name,
        value=value,
        max_age=max_age,
        httponly=True,
        samesite="strict",
        secure=policy.names.origins[info.host].startswith("https:"),
        path="/",
    )
