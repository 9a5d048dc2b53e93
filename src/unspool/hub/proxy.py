"""A hub behind a proxy: who asks, and under which name, is what the proxy says of it."""

from typing import Any, Final

from litestar.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

_HOST: Final = b"x-forwarded-host"


def behind_proxy(app: ASGIApp, address: str) -> ASGIApp:
    """Read `X-Forwarded-For`, `-Proto` and `-Host` of requests that come from an address or a
    network, and of no others.
    """
    known: Any = ProxyHeadersMiddleware(app, trusted_hosts=address)  # type: ignore[arg-type]

    async def site(scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client and client[0] in known.trusted_hosts:
            given = [value for name, value in scope["headers"] if name == _HOST]
            if len(given) == 1:
                others = [one for one in scope["headers"] if one[0] != b"host"]
                scope["headers"] = [*others, (b"host", given[0])]
        await known(scope, receive, send)

    return site
