"""One page that listens: what it asks for, and what it is told."""

import re
from typing import Any, Final

import msgspec
from litestar import WebSocket
from litestar.exceptions import WebSocketException

from unspool.model.files import NAME
from unspool.model.live import ClientMessage, ErrorMessage
from unspool.serve.live.feed import Client, Feed
from unspool.serve.live.messages import Written

_SESSION: Final = re.compile(NAME)
_MOST_SESSIONS: Final = 64
_MOST_TROUBLE: Final = 50
_POLICY: Final = 1008
_asked: Final = msgspec.json.Decoder(ClientMessage)


class Visitor:
    """Reads from and writes to one socket; neither waits for the other."""

    def __init__(self, socket: WebSocket[Any, Any, Any], feed: Feed, after: str) -> None:
        self._socket, self._feed = socket, feed
        is_number = after.isascii() and after.isdigit() and len(after) < 20
        self._after = int(after) if is_number else None
        self._client = Client(feed, lists=socket.query_params.get("lists") != "false")
        self._resumed: set[str] = set()
        self._trouble = 0

    async def enter(self) -> None:
        """Begin to listen; who has not been here before has seen all up to now."""
        seq = await self._feed.join(self._client)
        self._after = seq if self._after is None else self._after

    async def tell(self) -> None:
        """Send what there is to tell, as fast as it is read."""
        while True:
            message: Written = await self._client.channel.get()
            try:
                await self._socket.send(
                    {"type": "websocket.send", "text": message.text, "bytes": None}
                )
            except (WebSocketException, OSError, RuntimeError):
                return  # gone: whoever hears it out notices too

    async def hear(self) -> None:
        """Do what a page asks until it goes; what makes no sense is answered, for a while."""
        while True:
            event: Any = await self._socket.receive()
            if event["type"] != "websocket.receive":
                return
            trouble = await self._heed(event.get("text") or event.get("bytes") or "")
            if not trouble:
                continue
            self._trouble += 1
            if self._trouble > _MOST_TROUBLE:
                await self._socket.close(_POLICY, "Too much that makes no sense.")
                return
            told = ErrorMessage(detail=trouble)
            self._client.channel.put(self._feed.written("error", None, told))

    def leave(self) -> None:
        """It is gone."""
        self._feed.leave(self._client)

    async def _heed(self, said: str | bytes) -> str:
        """Do one thing; what is wrong with it."""
        try:
            asked = _asked.decode(said)
        except (ValueError, RecursionError):
            return "Say {type: subscribe or unsubscribe, sessionId}."
        if not _SESSION.fullmatch(asked.session_id):
            return "This is no session's id."
        if asked.type == "unsubscribe":
            self._feed.unsubscribe(self._client, asked.session_id)
            return ""
        if len(self._client.sessions) >= _MOST_SESSIONS:
            return f"At most {_MOST_SESSIONS} sessions at a time."
        since = self._since(asked)
        if asked.events:
            await self._feed.subscribe(self._client, asked.session_id, since)
        else:
            await self._feed.hint(self._client, asked.session_id, since)
        return ""

    def _since(self, asked: ClientMessage) -> int | None:
        """Where it left off: as it says now, or, once for each session, as it was when it came."""
        is_first = asked.session_id not in self._resumed
        self._resumed.add(asked.session_id)
        return asked.seq if asked.seq is not None else self._after if is_first else None
