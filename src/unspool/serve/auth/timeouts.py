"""Connections with timeouts: a client that is slow to send its request or to read is dropped.

A slow request head never reaches the middleware, so these are the server's own protocols.
"""

from asyncio import TimerHandle, Transport
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_TIMEOUT: Final = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class HttpConnection(H11Protocol):
    """HTTP with limits: time for a request head, time without reading, number of connections."""

    head_timeout: ClassVar[float] = 10.0
    write_timeout: ClassVar[float] = 30.0
    max_connections: ClassVar[int] = 512

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._head: TimerHandle | None = None
        self._unread: TimerHandle | None = None
        self._waiting_since = self.loop.time()
        self._has_sent = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request; past the limit the longest idle connection is closed."""
        super().connection_made(transport)
        self._await_head()
        if len(self.connections) > self.max_connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Restart or stop the timer of the head."""
        self._has_sent = True
        super().data_received(data)
        if not self._is_waiting:
            self._stop_head()
        elif self._head is None and self.timeout_keep_alive_task is None:
            self._await_head()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over: it is a WebSocket from here on."""
        self._stop()
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """The client does not keep up: check later whether it reads at all."""
        super().pause_writing()
        self._watch(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """The client has caught up."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    @property
    def _is_waiting(self) -> bool:
        """Whether the next request head has not arrived yet."""
        is_idle = self.cycle is None or self.cycle.response_complete
        return is_idle and self.conn.their_state is h11.IDLE

    def _await_head(self) -> None:
        self._waiting_since = self.loop.time()
        self._head = self.loop.call_later(self.head_timeout, self._time_out)

    def _time_out(self) -> None:
        if not self.transport.is_closing():
            # A browser may open a connection in advance, without a request on it to answer.
            self.transport.write(_TIMEOUT if self._has_sent else b"")
            self.transport.close()

    def _make_room(self) -> None:
        waiting = [one for one in self.connections if isinstance(one, HttpConnection)]
        waiting = [one for one in waiting if one._is_waiting and one is not self]
        oldest = min(waiting, key=lambda one: one._waiting_since, default=self)
        oldest.transport.abort()

    def _watch(self, size: int) -> None:
        self._unread = self.loop.call_later(self.write_timeout, self._check_progress, size)

    def _check_progress(self, before: int) -> None:
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


class WebSocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket whose client does not answer pings is cut off, not waited for."""

    def keepalive_timeout(self) -> None:
        """Drop what was sent and not read."""
        super().keepalive_timeout()
        self.transport.abort()
