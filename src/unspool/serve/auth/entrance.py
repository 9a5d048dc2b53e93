"""The page of a browser that is not signed in: what to do, and a form for the code."""

from hashlib import sha256
from html import escape
from typing import Final

from unspool.serve.auth.policy import (
    CROSS_SITE,
    FORMS,
    TOKEN_NEEDED,
    AccessPolicy,
    OneTimeCode,
    Refusal,
    RequestInfo,
)

MEDIA_TYPE: Final = "text/html"
SIGNED_OUT: Final = "You are signed out: this browser's cookie is no longer valid."
_SIGN_OUT: Final = "To sign out later, use the last button at the top of any page."
# `same-origin`: with `no-referrer` a browser does not say where a form comes from.
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<title>Sign in · unspool</title>
<link rel="stylesheet" href="/static/enter.css">
<script type="module" src="/static/enter.js"></script>
</head>
<body>
<main{where}>
<h1>unspool</h1>
<p id="enter" role="status">{message}</p>
{rest}
</main>
</body>
</html>
"""
_FORM: Final = """<p>{how}</p>
<form method="post" action="/enter">
<label for="code">Code</label>
<input id="code" name="code" required autocomplete="off" autocapitalize="none" spellcheck="false">
<input type="hidden" name="to" value="{to}">
<button>Sign in</button>
</form>"""
_NEXT: Final = (
    '<p>Open <a href="{address}">{url}</a> and enter the code <code>{code}</code> there.</p>'
)


def sign_in_page(policy: AccessPolicy, host: str, message: str = "", to: str = "/") -> bytes:
    """The page under one of the server's names; `to` is where to go once signed in.

    Under `localhost` it must not say the name that browsers sign in under: everybody on this
    machine can ask for it. A browser that was told remembers it by what `data-home` says.
    """
    home = "" if policy.gives_cookie(host) else _tag(policy.names.browser_url)
    where = f' data-home="{home}"' if home else ""
    form = _FORM.format(how=f"{_as_html(policy.how_to_enter)} {_SIGN_OUT}", to=escape(to))
    return _PAGE.format(where=where, message=_as_html(message), rest=form).encode()


def next_page(invitation: OneTimeCode) -> bytes:
    """Where to sign in, for a browser without scripts that has shown a code elsewhere."""
    address, url = escape(invitation.address), escape(invitation.url)
    rest = _NEXT.format(address=address, url=url, code=invitation.code)
    return _PAGE.format(where="", message="Sign in at another address.", rest=rest).encode()


def refusal_page(policy: AccessPolicy, request: RequestInfo, refusal: Refusal) -> bytes:
    """What a browser gets in place of a page; empty for a request that asks for none.

    One that another site sent here may hold a code too: it is the browser's way from `localhost`.
    """
    is_form = request.method == "POST" and request.path in FORMS
    wants_page = "text/html" in (request.get("accept") or "") and (
        is_form or (request.method == "GET" and not request.path.startswith("/api/"))
    )
    navigates = (request.get("sec-fetch-mode"), request.get("sec-fetch-dest")) == (
        "navigate",
        "document",
    )
    if wants_page and (refusal is TOKEN_NEEDED or (refusal is CROSS_SITE and navigates)):
        return sign_in_page(policy, request.host, to=request.target if not is_form else "/")
    return b""


def _tag(url: str) -> str:
    """Tells homes apart that are served on the same port, and tells nothing else of the name."""
    return f"unspool-{sha256(url.encode()).hexdigest()[:8]}"


def _as_html(message: str) -> str:
    """A sentence, with its `commands` as such."""
    parts = escape(message).split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))
