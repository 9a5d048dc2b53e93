"""`/api/dashboard`: the one live channel."""

import asyncio
import re
from typing import Any, Final

import msgspec
from litestar import WebSocket, websocket
from litestar.di import NamedDependency
from litestar.exceptions import WebSocketException

from unspool.json_depth import shallow
from unspool.model.files import NAME
from unspool.model.live import ClientMessage, ErrorMessage
from unspool.serve.live import Live
from unspool.serve.live.feed import Feed

_SESSION: Final = re.compile(NAME)
_MAX_SESSIONS: Final = 64
_MAX_ERRORS: Final = 50
_POLICY: Final = 1008
_request: Final = msgspec.json.Decoder(ClientMessage)


@websocket("/api/dashboard")
async def dashboard(socket: WebSocket[Any, Any, Any], live: NamedDependency[Live]) -> None:
    """Tell a page what is new, until it goes."""
    await socket.accept()
    client = WebSocketClient(socket, live.feed, socket.query_params.get("after", ""))
    try:
        await client.enter()
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(client.send())
            await client.receive()
            sending.cancel()
    finally:
        client.leave()


class WebSocketClient:
    """Reads from and writes to one socket; neither waits for the other."""

    def __init__(self, socket: WebSocket[Any, Any, Any], feed: Feed, after: str) -> None:
        self._socket, self._feed = socket, feed
        is_number = after.isascii() and after.isdigit() and len(after) < 20
        self._after = int(after) if is_number else None
        self._client = feed.client(lists=socket.query_params.get("lists") != "false")
        self._resumed: set[str] = set()
        self._errors = 0

    async def enter(self) -> None:
        """Begin to listen; a client that is new has seen everything up to now."""
        seq = await self._feed.join(self._client)
        self._after = seq if self._after is None else self._after

    async def send(self) -> None:
        """Send what there is, as fast as it is read."""
        while True:
            message = await self._client.queue.get()
            try:
                await self._socket.send(
                    {"type": "websocket.send", "text": message.text, "bytes": None}
                )
            except (WebSocketException, OSError, RuntimeError):
                return  # gone: `receive` notices too

    async def receive(self) -> None:
        """Do what the client asks until it goes; errors are answered, up to a number of them."""
        while True:
            event: Any = await self._socket.receive()
            if event["type"] != "websocket.receive":
                return
            detail = await self._handle(event.get("text") or event.get("bytes") or "")
            if not detail:
                continue
            self._errors += 1
            if self._errors > _MAX_ERRORS:
                await self._socket.close(_POLICY, "Too many invalid messages.")
                return
            report = ErrorMessage(detail=detail)
            self._client.queue.put(self._feed.message("error", None, report))

    def leave(self) -> None:
        """It is gone."""
        self._feed.leave(self._client)

    async def _handle(self, message: str | bytes) -> str:
        """Do one thing; what is wrong with it."""
        try:
            request = _request.decode(shallow(message))
        except (ValueError, RecursionError):
            return "Send {type: subscribe or unsubscribe, sessionId}."
        session = request.session_id
        if not _SESSION.fullmatch(session):
            return "This is not a session id."
        if request.type == "unsubscribe":
            self._feed.unsubscribe(self._client, session)
            return ""
        if session not in self._client.sessions and len(self._client.sessions) >= _MAX_SESSIONS:
            return f"At most {_MAX_SESSIONS} sessions at a time."
        subscribe = self._feed.subscribe if request.events else self._feed.hint
        await subscribe(self._client, session, self._since(request))
        return ""

    def _since(self, request: ClientMessage) -> int | None:
        """Where it left off: as it says now, or, once for each session, as it was when it came."""
        is_first = request.session_id not in self._resumed
        self._resumed.add(request.session_id)
        return request.seq if request.seq is not None else self._after if is_first else None
