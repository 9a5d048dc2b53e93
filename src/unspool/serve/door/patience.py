"""Connections -> as long as they get on: who is slow to ask or to read is not waited for.

Nothing of the app runs yet when a head is slow, so the door cannot see it: this is below it.
"""

from asyncio import TimerHandle, Transport
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_SLOW: Final = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Connection(H11Protocol):
    """HTTP: a head within seconds, an answer that is read, and room for so many."""

    head_seconds: ClassVar[float] = 10.0
    still_seconds: ClassVar[float] = 30.0
    most: ClassVar[int] = 512

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._head: TimerHandle | None = None
        self._unread: TimerHandle | None = None
        self._begun = self.loop.time()
        self._has_spoken = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for its first request; the one that has been waited for longest makes room."""
        super().connection_made(transport)
        self._await_head()
        if len(self.connections) > self.most:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A head may come in pieces, but not for ever."""
        self._has_spoken = True
        super().data_received(data)
        if not self._is_waiting:
            self._stop_head()
        elif self._head is None and self.timeout_keep_alive_task is None:
            self._await_head()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """From here on it is a socket."""
        self._stop()
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """What is sent is not read as fast; that it is not read at all shows later."""
        super().pause_writing()
        self._watch(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """It is read again."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    @property
    def _is_waiting(self) -> bool:
        """Whether the next head is not here yet."""
        is_idle = self.cycle is None or self.cycle.response_complete
        return is_idle and self.conn.their_state is h11.IDLE

    def _await_head(self) -> None:
        self._begun = self.loop.time()
        self._head = self.loop.call_later(self.head_seconds, self._give_up)

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            # A browser may open a connection in advance: who has said nothing is told nothing.
            self.transport.write(_SLOW if self._has_spoken else b"")
            self.transport.close()

    def _make_room(self) -> None:
        waiting = [one for one in self.connections if isinstance(one, Connection)]
        waiting = [one for one in waiting if one._is_waiting and one is not self]
        oldest = min(waiting, key=lambda one: one._begun, default=self)
        oldest.transport.abort()

    def _watch(self, size: int) -> None:
        self._unread = self.loop.call_later(self.still_seconds, self._look, size)

    def _look(self, before: int) -> None:
        now = self.transport.get_write_buffer_size()
        if now >= before:
            self.transport.abort()
        else:
            self._watch(now)

    def _stop_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _stop(self) -> None:
        self._stop_head()
        if self._unread is not None:
            self._unread.cancel()


class Socket(WebSocketsSansIOProtocol):
    """WebSocket: who does not answer a ping is not asked to read the goodbye either."""

    def keepalive_timeout(self) -> None:
        """Close, though what was sent may never have been read."""
        super().keepalive_timeout()
        self.transport.abort()
