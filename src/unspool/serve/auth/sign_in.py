"""How a browser signs in: the printed token, or a one-time code, is exchanged for a cookie."""

from pathlib import Path
from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.params import JSONBody
from msgspec import Struct

from unspool.serve.auth.policy import ENTER, AccessPolicy
from unspool.serve.problems import Refused

_STATIC: Final = Path(__file__).parent.parent / "static"
SCRIPT: Final = (_STATIC / "enter.js").read_bytes()
STYLE: Final = (_STATIC / "enter.css").read_bytes()

# For a browser without the cookie; the script exchanges the token of the address for one.
PAGE: Final = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>unspool</title>
<link rel="stylesheet" href="/static/enter.css">
<script type="module" src="/static/enter.js"></script>
</head>
<body>
<main>
<h1>unspool</h1>
<p id="enter">Open the address that unspool printed when it started:
it ends in <code>#t=</code> and a token.</p>
</main>
</body>
</html>
"""


class OneTimeCode(Struct, frozen=True):
    """A code that can be used once instead of the token, within a minute."""

    code: str


class SignIn(Struct, frozen=True, forbid_unknown_fields=True):
    """What the printed address has in its fragment."""

    token: str


@post(ENTER, status_code=204, sync_to_thread=False)
def enter(
    request: Request[Any, Any, Any], policy: NamedDependency[AccessPolicy], data: JSONBody[SignIn]
) -> Response[None]:
    """Exchange the token for a cookie."""
    refusal = policy.check_sign_in(data.token, request.client.host if request.client else "")
    if refusal is not None:
        raise Refused(refusal.status, refusal.detail)
    tokens = policy.tokens
    cookie = Cookie(
        key=tokens.cookie_name,
        value=tokens.cookie,
        httponly=True,
        samesite="strict",
        secure=policy.scheme == "https",
        path="/",
    )
    return Response(None, status_code=204, cookies=[cookie])


@post("/api/invitations", status_code=201, sync_to_thread=False)
def invite(policy: NamedDependency[AccessPolicy]) -> OneTimeCode:
    """A code for an address that others on this machine may see."""
    return OneTimeCode(policy.new_code())


@get("/static/enter.js", include_in_schema=False, sync_to_thread=False)
def script() -> Response[bytes]:
    """The script of the sign-in page."""
    return Response(SCRIPT, media_type="text/javascript")


@get("/static/enter.css", include_in_schema=False, sync_to_thread=False)
def style() -> Response[bytes]:
    """The style of the sign-in page."""
    return Response(STYLE, media_type="text/css")
