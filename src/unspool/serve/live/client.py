"""One client of the live channel: its messages, its queue and what it subscribed to."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

from unspool.redact import Redactor

MAX_MESSAGES: Final = 1_000
MAX_BYTES: Final = 4 * 1024 * 1024


class OutgoingMessage(NamedTuple):
    """A message as it is sent, and its size in bytes."""

    text: str
    size: int


class _Envelope(Struct, frozen=True, kw_only=True, rename="camel"):
    type: str
    seq: int
    session_id: str | None
    data: Raw


class MessageEncoder:
    """Encodes and redacts each message once, however many clients get it."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def data(self, body: Struct) -> Raw:
        """The body of a message, without secrets."""
        return Raw(self._redactor.json(msgspec.json.encode(body)))

    def encode(
        self, type: str, seq: int, session_id: str | None, body: Struct | Raw
    ) -> OutgoingMessage:
        """A whole message."""
        data = body if isinstance(body, Raw) else self.data(body)
        envelope = _Envelope(type=type, seq=seq, session_id=session_id, data=data)
        encoded = msgspec.json.encode(envelope)
        return OutgoingMessage(encoded.decode("utf-8", "replace"), len(encoded))


class MessageQueue:
    """Messages that wait for one client, used from one event loop.

    A client that is too slow loses all that waits: `replacement` makes the messages that tell it
    to fetch again.
    """

    def __init__(
        self,
        replacement: Callable[[], Iterable[OutgoingMessage]],
        *,
        max_messages: int = MAX_MESSAGES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._replacement = replacement
        self._max_messages, self._max_bytes = max_messages, max_bytes
        self._queue: deque[OutgoingMessage] = deque()
        self._bytes = 0
        self._filled = asyncio.Event()

    def put(self, message: OutgoingMessage) -> None:
        """Add a message, or replace them all where it is one too many."""
        is_full = (
            len(self._queue) >= self._max_messages or self._bytes + message.size > self._max_bytes
        )
        if is_full and self._queue:
            self._queue.clear()
            self._bytes = 0
            for one in self._replacement():
                self._add(one)
        else:
            self._add(message)

    async def get(self) -> OutgoingMessage:
        """The next message, as soon as there is one."""
        while not self._queue:
            self._filled.clear()
            await self._filled.wait()
        message = self._queue.popleft()
        self._bytes -= message.size
        return message

    def _add(self, message: OutgoingMessage) -> None:
        self._queue.append(message)
        self._bytes += message.size
        self._filled.set()


class Client:
    """One that listens; without `lists` it gets no rows of the session list."""

    def __init__(
        self, replacement: Callable[["Client"], Iterable[OutgoingMessage]], *, lists: bool = True
    ) -> None:
        self.lists = lists
        self.sessions: dict[str, bool] = {}  # and whether it gets each event
        self.followed: set[str] = set()  # those whose timelines are kept open for it
        self.queue = MessageQueue(lambda: replacement(self))
