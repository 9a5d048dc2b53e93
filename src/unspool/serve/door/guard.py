"""The one way in, for HTTP and WebSocket alike: nothing of the app is reached around it."""

import asyncio
from typing import Any, Final

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from unspool.serve.door.entry import PAGE
from unspool.serve.door.headers import Headers, guarded
from unspool.serve.door.visit import MISDIRECTED, UNKNOWN, Door, Kind, Refusal, Visit
from unspool.serve.door.words import begun, first_token
from unspool.serve.problems import MEDIA_TYPE, Problem

_SECONDS: Final = 30.0
_MOST_SOCKETS: Final = 256
# A socket may come without a token and say it first of all.
_WORDS_SECONDS: Final = 2.0
_MOST_STRANGERS: Final = 16
_TOO_LARGE: Final = Refusal(413, "Body too large", "Send less at once.")
_TOO_SLOW: Final = Refusal(408, "Body too slow", f"It must come within {_SECONDS:.0f} seconds.")


class Guard:
    """An ASGI app around another.

    `seconds` is how long a body may take to come, `sockets` how many may be open at a time.
    """

    def __init__(
        self,
        app: ASGIApp,
        door: Door,
        *,
        seconds: float = _SECONDS,
        sockets: int = _MOST_SOCKETS,
    ) -> None:
        self.app = app
        self._door = door
        self._seconds = seconds
        self._most, self._sockets, self._strangers = sockets, 0, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        kind: str = scope["type"]
        if kind == "http":
            await self._http(scope, receive, _with_headers(send))
        elif kind == "websocket":
            await self._socket(scope, receive, _with_headers(send))
        else:
            await self.app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        visit = _visit("http", scope)
        refusal = self._door.refusal(visit)
        if refusal is None:
            body = await self._body(visit, receive)
            if isinstance(body, bytes):
                await self.app(scope, _replayed(body, receive), send)
                return
            refusal = body
        if refusal is not None:
            await _answer(send, refusal, "http", is_page=_is_page(visit))

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        visit = _visit("websocket", scope)
        refusal = self._door.refusal(visit)
        is_stranger = refusal is UNKNOWN and self._door.may_introduce_itself(visit)
        if (refusal is None or is_stranger) and self._sockets >= self._most:
            refusal, is_stranger = _crowded(self._most), False
        elif is_stranger and self._strangers >= _MOST_STRANGERS:
            refusal, is_stranger = _crowded(_MOST_STRANGERS), False
        if refusal is not None and not is_stranger:
            await _refuse_socket(scope, receive, send, refusal)
            return
        self._sockets += 1
        try:
            if not is_stranger:
                await self.app(scope, receive, send)
            elif await self._is_introduced(visit, receive, send):
                await self.app(scope, *begun(receive, send))
        finally:
            self._sockets -= 1

    async def _is_introduced(self, visit: Visit, receive: Receive, send: Send) -> bool:
        self._strangers += 1
        try:
            token = await first_token(receive, send, _WORDS_SECONDS)
        finally:
            self._strangers -= 1
        refusal = self._door.introduction(token, visit.address)
        if refusal is not None:
            await _close(send, refusal)
        return refusal is None

    async def _body(self, visit: Visit, receive: Receive) -> bytes | Refusal | None:
        """All a request brings, or why it is not taken; None where its sender left."""
        most = self._door.longest_body(visit.path)
        said = visit.get("content-length") or "0"
        if said.isdecimal() and int(said) > most:
            return _TOO_LARGE
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message: Any = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    if len(body) > most:
                        return _TOO_LARGE
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            return _TOO_SLOW


def _visit(kind: Kind, scope: Scope) -> Visit:
    pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
    client = scope.get("client")
    return Visit(
        kind=kind,
        method=str(scope.get("method", "GET")),
        path=scope["path"],
        address=client[0] if client else "",
        headers=tuple((name.lower(), value) for name, value in pairs),
    )


def _is_page(visit: Visit) -> bool:
    wants_page = "text/html" in (visit.get("accept") or "")
    return wants_page and visit.method == "GET" and not visit.path.startswith("/api/")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body in one piece, then whatever else happens to the connection."""
    first: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Any:
        return first.pop() if first else await receive()

    return next_message


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] in (
            "http.response.start",
            "websocket.accept",
            "websocket.http.response.start",
        ):
            told: Any = dict(message)
            told["headers"] = guarded(told.get("headers") or ())
            message = told
        await send(message)

    return sent


async def _answer(send: Send, refusal: Refusal, kind: str, *, is_page: bool = False) -> None:
    told = Problem(title=refusal.title, status=refusal.status, detail=refusal.detail)
    body, media = msgspec.json.encode(told), MEDIA_TYPE
    if is_page and refusal is UNKNOWN:
        body, media = PAGE, "text/html; charset=utf-8"
    if refusal is MISDIRECTED:
        body, media = b"", "text/plain"  # a rebound page could read it
    headers: Headers = [
        (b"content-type", media.encode()),
        (b"content-length", b"%d" % len(body)),
        # What was not read of the body must not be taken for the next request.
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


async def _refuse_socket(scope: Scope, receive: Receive, send: Send, refusal: Refusal) -> None:
    """Before the handshake, in HTTP's own words where the server can."""
    await receive()
    if "websocket.http.response" in (scope.get("extensions") or {}):
        await _answer(send, refusal, "websocket.http")
        return
    await _close(send, refusal)


async def _close(send: Send, refusal: Refusal) -> None:
    close: Any = {"type": "websocket.close", "code": 4000 + refusal.status}
    await send(close)


def _crowded(most: int) -> Refusal:
    return Refusal(503, "Too many sockets", f"At most {most} at a time.")
