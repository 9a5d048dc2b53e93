"""The ASGI middleware around the app: no HTTP or WebSocket request gets past it unchecked."""

import asyncio
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Final, Literal, TypeAlias, TypeVar

import msgspec
from litestar.concurrency import sync_to_thread
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from msgspec import Struct

from unspool.errors import StoreError
from unspool.json_depth import shallow
from unspool.serve.auth.entrance import MEDIA_TYPE as PAGE_TYPE
from unspool.serve.auth.entrance import refusal_page
from unspool.serve.auth.policy import (
    EVENT_TOKEN_NEEDED,
    EVENTS,
    LOG_OUT,
    MISDIRECTED,
    TOKEN_NEEDED,
    VISITOR,
    AccessPolicy,
    Refusal,
    RequestInfo,
    request_info,
)
from unspool.serve.problems import MEDIA_TYPE, Problem

Headers: TypeAlias = list[tuple[bytes, bytes]]
Found = TypeVar("Found")

CSP: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    b"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    b"require-trusted-types-for 'script'; trusted-types unspool"
)
_ALWAYS: Final[Headers] = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
]
# A route may set a stricter value for its own response.
_DEFAULTS: Final[Headers] = [
    (b"content-security-policy", CSP),
    (b"cache-control", b"no-store"),
]
_BODY_SECONDS: Final = 30.0
_LOOK_EVERY: Final = 1.5  # whether somebody who listens may still do so
MAX_SOCKETS: Final = 64
# A WebSocket may connect without a token and send it as its first message.
_TOKEN_SECONDS: Final = 2.0
_MAX_WITHOUT_TOKEN: Final = 16
_MAX_TOKEN_MESSAGE: Final = 4 * 1024
_MAX_DISCARDED: Final = 64 * 1024
_DISCARD_SECONDS: Final = 1.0
_TOO_LARGE: Final = Refusal(413, "Body too large", "Send a smaller body.")
_TOO_SLOW: Final = Refusal(
    408, "Body too slow", f"Send the whole body within {_BODY_SECONDS:.0f} seconds."
)


class AuthMiddleware:
    """Checks every request by a policy, and adds the security headers to every response.

    `seconds` limits how long a body may take to arrive, `sockets` how many may be open at once.
    """

    def __init__(
        self,
        app: ASGIApp,
        policy: AccessPolicy,
        *,
        seconds: float = _BODY_SECONDS,
        sockets: int = MAX_SOCKETS,
    ) -> None:
        self.app = app
        self._policy = policy
        self._seconds = seconds
        self._max_sockets, self._sockets, self._without_token = sockets, 0, 0
        self._conversations: dict[asyncio.Future[None], RequestInfo] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        kind: str = scope["type"]
        if kind == "http":
            await self._http(scope, receive, _adding_headers(send))
        elif kind == "websocket":
            await self._websocket(scope, receive, _adding_headers(send))
        else:
            await self.app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = request_info("http", scope)
        refusal, scope[VISITOR] = await self._checked(request)  # type: ignore[typeddict-unknown-key]
        if refusal is None:
            body = await self._body(request, receive)
            if isinstance(body, bytes):
                await self.app(scope, _replay(body, receive), send)
                if request.path == LOG_OUT:
                    await self._hang_up()
                return
            refusal = body
        else:
            await _discard_body(request, receive)
        if refusal is not None:
            if refusal is TOKEN_NEEDED and (request.method, request.path) == ("POST", EVENTS):
                refusal = EVENT_TOKEN_NEEDED
            page = refusal_page(self._policy, request, refusal)
            await refuse(send, refusal, "http", page=page)

    async def _checked(self, request: RequestInfo) -> tuple[Refusal | None, Hashable]:
        """Why a request is refused, or who makes it."""
        return await self._ask(lambda: self._policy.check(request))

    async def _ask(self, question: Callable[[], Found]) -> Found:
        return await sync_to_thread(question) if self._policy.waits else question()

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = request_info("websocket", scope)
        refusal, visitor = await self._checked(request)
        needs_token = refusal is TOKEN_NEEDED and self._policy.may_send_token(request)
        if (refusal is None or needs_token) and self._sockets >= self._max_sockets:
            refusal, needs_token = _too_many_sockets(self._max_sockets), False
        elif needs_token and self._without_token >= _MAX_WITHOUT_TOKEN:
            refusal, needs_token = _too_many_sockets(_MAX_WITHOUT_TOKEN), False
        if refusal is not None and not needs_token:
            await refuse_websocket(scope, receive, send, refusal)
            return
        self._sockets += 1
        try:
            token = ""
            if needs_token:
                token = await self._sent_token(request, receive, send)
                visitor = await self._ask(lambda: self._policy.visitor(request, token))
                receive, send = _already_accepted(receive, send)
            if token or not needs_token:
                scope[VISITOR] = visitor  # type: ignore[typeddict-unknown-key]
                conversation = asyncio.ensure_future(self.app(scope, receive, send))
                await self._converse(conversation, request, token, visitor, send)
        finally:
            self._sockets -= 1

    async def _converse(
        self,
        conversation: asyncio.Future[None],
        request: RequestInfo,
        token: str,
        visitor: Hashable,
        send: Send,
    ) -> None:
        """Talk until either side ends it, the browser signs out, or its person may see less."""
        self._conversations[conversation] = request
        every = _LOOK_EVERY if self._policy.waits else None
        try:
            while not (await asyncio.wait({conversation}, timeout=every))[0]:
                with suppress(StoreError):  # without the database there is nothing new to see
                    if visitor != await self._ask(lambda: self._policy.visitor(request, token)):
                        conversation.cancel()
        finally:
            del self._conversations[conversation]
            conversation.cancel()
        if conversation.cancelled():
            await _close(send, TOKEN_NEEDED)
        else:
            conversation.result()

    async def _hang_up(self) -> None:
        """End the conversations of a browser that has signed out."""
        for conversation, request in list(self._conversations.items()):
            if await self._ask(partial(self._policy.is_logged_out, request)):
                conversation.cancel()

    async def _sent_token(self, request: RequestInfo, receive: Receive, send: Send) -> str:
        """The token of the first message; "" if it is wrong, and the socket is closed."""
        self._without_token += 1
        try:
            token = await _first_token(receive, send)
        finally:
            self._without_token -= 1
        refusal = await self._ask(lambda: self._policy.check_token(token, request.address))
        if refusal is None:
            return token
        await _close(send, refusal)
        return ""

    async def _body(self, request: RequestInfo, receive: Receive) -> bytes | Refusal | None:
        """The whole body, or why it is refused; None if the client disconnected."""
        limit = self._policy.max_body(request.path)
        length = request.get("content-length") or "0"
        if length.isdecimal() and int(length) > limit:
            return _TOO_LARGE
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message: Any = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    if len(body) > limit:
                        return _TOO_LARGE
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            return _TOO_SLOW


def with_security_headers(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """A response's headers with ours, and without any `Access-Control-*`."""
    ours = {name for name, _ in _ALWAYS}
    allowed = [
        (name, value)
        for name, value in headers
        if name.lower() not in ours and not name.lower().startswith(b"access-control-")
    ]
    present = {name.lower() for name, _ in allowed}
    return allowed + _ALWAYS + [(name, value) for name, value in _DEFAULTS if name not in present]


def _adding_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] in (
            "http.response.start",
            "websocket.accept",
            "websocket.http.response.start",
        ):
            start: Any = dict(message)
            start["headers"] = with_security_headers(start.get("headers") or ())
            message = start
        await send(message)

    return send_with_headers


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body in one piece, then whatever else happens to the connection."""
    first: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Any:
        return first.pop() if first else await receive()

    return next_message


async def _discard_body(request: RequestInfo, receive: Receive) -> None:
    """Read a small body: closing with unread bytes would reset the connection, refusal and all."""
    length = request.get("content-length") or "0"
    if not length.isdecimal() or int(length) > _MAX_DISCARDED:
        return
    size = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(_DISCARD_SECONDS):
            while size <= _MAX_DISCARDED:
                message: Any = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


async def refuse(send: Send, refusal: Refusal, kind: str, *, page: bytes = b"") -> None:
    """Answer with a refusal."""
    problem = Problem(title=refusal.title, status=refusal.status, detail=refusal.detail)
    body, media = msgspec.json.encode(problem), MEDIA_TYPE
    if page:
        body, media = page, f"{PAGE_TYPE}; charset=utf-8"
    if refusal is MISDIRECTED:
        body, media = b"", "text/plain"  # a page that rebound its name to us could read it
    headers: Headers = [
        (b"content-type", media.encode()),
        (b"content-length", b"%d" % len(body)),
        # The unread rest of the body must not be taken for the next request.
        (b"connection", b"close"),
    ]
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if refusal.retry_after is not None:
        headers.append((b"retry-after", b"%d" % refusal.retry_after))
    start: Any = {"status": refusal.status, "headers": headers}
    start["type"] = f"{kind}.response.start"
    end: Any = {"type": f"{kind}.response.body", "body": body, "more_body": False}
    await send(start)
    await send(end)


async def refuse_websocket(scope: Scope, receive: Receive, send: Send, refusal: Refusal) -> None:
    """Refuse before the handshake, as an HTTP response where the server supports that."""
    await receive()
    if "websocket.http.response" in (scope.get("extensions") or {}):
        await refuse(send, refusal, "websocket.http")
        return
    await _close(send, refusal)


async def _close(send: Send, refusal: Refusal) -> None:
    close: Any = {"type": "websocket.close", "code": 4000 + refusal.status}
    await send(close)


def _too_many_sockets(limit: int) -> Refusal:
    return Refusal(503, "Too many WebSockets", f"At most {limit} can be open at once.")


class _TokenMessage(Struct, frozen=True):
    type: Literal["token"]
    token: str


async def _first_token(receive: Receive, send: Send) -> str:
    """Accept a WebSocket; the token its first message has, or "" for anything else."""
    await receive()
    accept: Any = {"type": "websocket.accept", "subprotocol": None, "headers": []}
    await send(accept)
    with suppress(TimeoutError, ValueError, RecursionError):
        async with asyncio.timeout(_TOKEN_SECONDS):
            message: Any = await receive()
        data = message.get("text") or message.get("bytes") or ""
        if len(data) <= _MAX_TOKEN_MESSAGE:
            return msgspec.json.decode(shallow(data), type=_TokenMessage).token
    return ""


def _already_accepted(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """The rest of a conversation, for an app that expects to accept the WebSocket itself."""
    connect: list[Any] = [{"type": "websocket.connect"}]

    async def next_message() -> Any:
        return connect.pop() if connect else await receive()

    async def send_unless_accept(message: Message) -> None:
        if message["type"] != "websocket.accept":
            await send(message)

    return next_message, send_unless_accept
