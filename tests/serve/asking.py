"""Requests in ASGI's own words: for what a well-behaved client would never send."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from litestar.types import ASGIApp

from tests.serve.served import HOST, ORIGIN, TOKEN

BEARER = ("authorization", f"Bearer {TOKEN}")
OURS = (("host", HOST), BEARER)
OUR_SOCKET = (*OURS, ("origin", ORIGIN))

Pairs = Sequence[tuple[str, str]]


class Answer(NamedTuple):
    """What came back; a socket that was let in has status 101, one shown out again its code."""

    status: int
    headers: dict[str, str]
    body: bytes


def ask(
    app: Any,
    method: str,
    path: str,
    headers: Pairs = OURS,
    body: Iterable[bytes] = (b"",),
) -> Answer:
    """One HTTP request; `path` is as the server decoded it."""
    scope = {**_scope("http", path, headers), "method": method}
    pieces = list(body)
    incoming = [
        {"type": "http.request", "body": piece, "more_body": at < len(pieces)}
        for at, piece in enumerate(pieces, 1)
    ]
    return _answer(asyncio.run(_talk(app, scope, incoming)), "http.response")


def knock(app: Any, path: str, headers: Pairs = OUR_SOCKET) -> Answer:
    """One WebSocket handshake."""
    scope = {**_scope("websocket", path, headers), "subprotocols": []}
    incoming: list[dict[str, Any]] = [
        {"type": "websocket.connect"},
        {"type": "websocket.disconnect", "code": 1000},
    ]
    sent = asyncio.run(_talk(app, scope, incoming))
    if sent[0]["type"] == "websocket.accept":
        is_shown_out = [one["type"] for one in sent[1:]] == ["websocket.close"]
        return Answer(sent[1]["code"] - 4000 if is_shown_out else 101, {}, b"")
    return _answer(sent, "websocket.http.response")


def _scope(kind: str, path: str, headers: Pairs) -> dict[str, Any]:
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("utf-8", "surrogatepass"),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 4100),
        "extensions": {"websocket.http.response": {}},
        "state": {},
    }


async def _talk(
    app: ASGIApp, scope: dict[str, Any], incoming: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    is_over = asyncio.Event()

    async def receive() -> Any:
        if incoming:
            return incoming.pop(0)
        await is_over.wait()
        return {"type": "http.disconnect"}  # as servers say it once an answer is sent

    async def send(message: Any) -> None:
        sent.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            is_over.set()

    await app(scope, receive, send)  # type: ignore[arg-type]
    return sent


def _answer(sent: list[dict[str, Any]], kind: str) -> Answer:
    start = next(message for message in sent if message["type"] == f"{kind}.start")
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    body = b"".join(one.get("body", b"") for one in sent if one["type"] == f"{kind}.body")
    return Answer(start["status"], headers, body)
