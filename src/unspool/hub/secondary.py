"""`WS /api/secondary`: the sockets that machines keep open to this hub process.

Nothing that a machine sends raises: what cannot be read closes its socket, with a code and a
reason. One task looks after all sockets: keys that were revoked, signs of life, pings.
"""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import inf
from time import monotonic
from typing import Any, Final, NamedTuple

import msgspec
from litestar.concurrency import sync_to_thread
from litestar.types import Receive, Scope, Send
from msgspec import Struct

from unspool.errors import StoreError
from unspool.hub.board_rows import hub_name, hub_row, metadata_row
from unspool.hub.checks import is_fuller
from unspool.hub.refusals import HubRefusal
from unspool.hub.service import HubService
from unspool.json_depth import shallow
from unspool.model.query import SessionKey
from unspool.model.secondary import (
    MOST_MESSAGE,
    MOST_READ,
    BoardMessage,
    EventsAdded,
    EventsInserted,
    FromMachine,
    Hello,
    LinesMessage,
    Ping,
    PolicyMessage,
    Pong,
    QueueMessage,
    RawPlace,
    ReadMessage,
    Revoked,
    SessionMetadata,
)
from unspool.store.postgres.live import LiveTable, OpenLink
from unspool.store.postgres.people import hashed

_MOST_SOCKETS: Final = 4_000
_HELLO_SECONDS: Final = 10.0
_TICK: Final = 2.0
_PING_EVERY: Final = 20.0
_SEEN_EVERY: Final = 10.0  # how often a sign of life is written down at most
_SEND_SECONDS: Final = 5.0
_PER_SECOND, _BURST = 10.0, 100.0
_READ_SECONDS: Final = 15.0
_decoder: Final = msgspec.json.Decoder(FromMachine)


class Ending(NamedTuple):
    """Why a socket is closed."""

    code: int
    reason: str


UNREADABLE: Final = Ending(4400, "The hub does not know this message.")
REVOKED: Final = Ending(4401, "This machine's key was revoked.")
NO_HELLO: Final = Ending(4408, "Send hello first.")
REPLACED: Final = Ending(4409, "This machine has opened another socket.")
TOO_LARGE: Final = Ending(1009, f"A message may have up to {MOST_MESSAGE:,} bytes.")
TOO_MANY: Final = Ending(4429, f"At most {_PER_SECOND:.0f} messages a second.")
NO_DATABASE: Final = Ending(1013, "The database does not answer.")


class MachineAway(Exception):
    """A machine that was asked for lines does not answer."""


class LinesRefused(Exception):
    """A machine does not give its lines away."""


class _Reading:
    """One read on its way: the parts that have come so far."""

    def __init__(self, places: int) -> None:
        self.done: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
        self._parts = [bytearray() for _ in range(places)]

    def take(self, message: LinesMessage) -> None:
        """Add an answer, or a part of one."""
        if self.done.done():
            return
        for part in message.items:
            if part.number < len(self._parts):
                self._parts[part.number] += part.data
        if message.refused:
            self.done.set_exception(LinesRefused(message.refused))
        elif sum(map(len, self._parts)) > MOST_READ:
            self.done.set_exception(LinesRefused("The machine sent more than was requested."))
        elif not message.more:
            self.done.set_result([bytes(one) for one in self._parts])


class _MachineSocket:
    """One machine, from its hello until its socket is closed."""

    def __init__(self, links: "MachineLinks", of: OpenLink, key: bytes, send: Send) -> None:
        self._links, self._send = links, send
        self.of, self.key = of, key
        self.task: asyncio.Future[Ending | None] | None = None
        self.ending: Ending | None = None
        self.alive_at = self.seen_at = -inf  # the last sign of life, and what was written of it
        self.pinged_at, self.skew = -_PING_EVERY, None  # type: float, int | None
        self._allowance, self._counted_at = _BURST, monotonic()
        self._reads: dict[str, _Reading] = {}
        self._is_too_full = False  # its mode sends more than the hub takes

    async def converse(self, receive: Receive) -> Ending | None:
        """Listen until it goes; or why it has to."""
        try:
            async with asyncio.timeout(_HELLO_SECONDS):
                hello = await self._next(receive)
        except TimeoutError:
            return NO_HELLO
        if not isinstance(hello, Hello):
            return hello if isinstance(hello, Ending) else NO_HELLO
        live, now, write = self._links.live, self._links.now(), self._links.write
        await write(partial(live.opened, self.of, hello, now))
        self.alive_at = monotonic()
        self._is_too_full = is_fuller(hello.mode, self._links.takes)
        await self.say(PolicyMessage(most_rows=0) if self._is_too_full else PolicyMessage())
        await self.ping()
        while True:
            message = await self._next(receive)
            if message is None or isinstance(message, Ending):
                return message
            self.alive_at = monotonic()
            ending = await self._take(message)
            if ending is not None:
                return ending

    async def _next(self, receive: Receive) -> FromMachine | Ending | None:
        """The next message; None where the machine has gone."""
        event: Any = await receive()
        if event["type"] != "websocket.receive":
            return None
        data = event.get("text") or event.get("bytes") or b""
        if len(data) > MOST_MESSAGE:
            return TOO_LARGE
        now = monotonic()
        self._allowance += (now - self._counted_at) * _PER_SECOND
        self._allowance, self._counted_at = min(self._allowance, _BURST) - 1, now
        if self._allowance < 0:
            return TOO_MANY
        try:
            message: FromMachine = _decoder.decode(shallow(data))
        except (ValueError, RecursionError):
            return UNREADABLE
        return message

    async def _take(self, message: FromMachine) -> Ending | None:
        """Do what a message says; why the socket has to be closed after it."""
        if isinstance(message, SessionMetadata):
            message = BoardMessage(rows=(metadata_row(message),))
        if isinstance(message, BoardMessage):
            if self._is_too_full:  # it sends none once it has heard so
                return None
            return await self._take_board(message)
        if isinstance(message, QueueMessage):
            await self._links.write(partial(self._links.live.queue, self.of, message))
        elif isinstance(message, Pong):
            self._measure(message)
        elif isinstance(message, LinesMessage):
            if reading := self._reads.get(message.id):
                reading.take(message)
        elif isinstance(message, EventsAdded | EventsInserted):
            self._links.changed()
        return None

    async def _take_board(self, message: BoardMessage) -> Ending | None:
        machine = self.of.sender.name
        rows: dict[SessionKey, bytes] = dict(
            filter(None, (hub_row(r, machine) for r in message.rows))
        )
        gone = [name for one in message.gone if (name := hub_name(one, machine))]
        put, now = self._links.live.put, self._links.now()
        is_ours = await self._links.write(
            partial(put, self.of, rows, gone, whole=message.whole, now=now)
        )
        self._links.changed()
        return None if is_ours else REPLACED

    def _measure(self, pong: Pong) -> None:
        """How far its clock is ahead: it said the time when half of the way was gone."""
        now = self._links.now()
        if 0 <= now - pong.at <= _PING_EVERY * 1_000:
            self.skew = pong.clock - (pong.at + now) // 2

    async def say(self, message: Struct) -> None:
        """Send a message; a machine that does not read is noticed where it is listened to."""
        text: Any = {"type": "websocket.send", "text": msgspec.json.encode(message).decode()}
        with suppress(OSError, RuntimeError, TimeoutError):
            async with asyncio.timeout(_SEND_SECONDS):
                await self._send(text)

    async def ping(self) -> None:
        """Ask for a sign of life, and the time."""
        self.pinged_at = monotonic()
        await self.say(Ping(at=self._links.now()))

    async def read(self, places: tuple[RawPlace, ...], by: str) -> list[bytes]:
        """Ask for raw lines."""
        id = secrets.token_hex(8)
        self._reads[id] = reading = _Reading(len(places))
        try:
            await self.say(ReadMessage(id=id, places=places, by=by))
            async with asyncio.timeout(_READ_SECONDS):
                return await reading.done
        except TimeoutError as error:
            raise MachineAway from error
        finally:
            del self._reads[id]

    def end(self, ending: Ending) -> None:
        """Have it closed."""
        if self.ending is None and self.task is not None:
            self.ending = ending
            self.task.cancel()


class MachineLinks:
    """All sockets of machines in this process: an ASGI app, for one event loop."""

    def __init__(
        self, service: HubService, live: LiveTable, changed: Callable[[], None] = lambda: None
    ) -> None:
        self._service, self.live, self.changed = service, live, changed
        self.now, self.takes = service.now, service.takes
        self._sockets: dict[int, _MachineSocket] = {}  # by machine
        self.write = service.intake.run
        self._tick: asyncio.Future[None] | None = None
        self._noting: asyncio.Future[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a machine in, and listen to it."""
        await receive()
        headers = dict(scope["headers"])
        authorization = headers.get(b"authorization", b"").decode("latin-1")
        try:
            address = (scope.get("client") or ("",))[0]
            sender = await sync_to_thread(self._service.machine, authorization, address)
            if len(self._sockets) >= _MOST_SOCKETS:
                raise HubRefusal(503, "This hub has too many machines.", retry_after=60)
        except HubRefusal as refusal:
            await _refuse(scope, send, refusal)
            return
        accept: Any = {"type": "websocket.accept", "subprotocol": None, "headers": []}
        await send(accept)
        key = hashed(authorization.partition(" ")[2])
        socket = _MachineSocket(self, OpenLink(sender, secrets.token_hex(8)), key, send)
        before = self._sockets.get(sender.machine)
        if before is not None:
            before.end(REPLACED)
        self._sockets[sender.machine] = socket
        if self._tick is None or self._tick.done():
            self._tick = asyncio.ensure_future(self._look_after())
        try:
            await self._serve(socket, receive, send)
        finally:
            if self._sockets.get(sender.machine) is socket:
                del self._sockets[sender.machine]
            with suppress(StoreError):
                await self.write(partial(self.live.closed, socket.of))
            self.changed()

    async def _serve(self, socket: _MachineSocket, receive: Receive, send: Send) -> None:
        socket.task = asyncio.ensure_future(socket.converse(receive))
        await asyncio.wait({socket.task})
        ending = socket.ending
        if not socket.task.cancelled():
            error = socket.task.exception()
            ending = NO_DATABASE if isinstance(error, StoreError) else UNREADABLE
            ending = socket.task.result() if error is None else ending
        if ending is not None:
            if ending is REVOKED:
                await socket.say(Revoked())
            close: Any = {"type": "websocket.close", "code": ending.code, "reason": ending.reason}
            with suppress(OSError, RuntimeError):
                await send(close)

    def has(self, machine: int) -> bool:
        """Whether a machine is connected to this process."""
        return machine in self._sockets

    async def read(self, machine: int, places: tuple[RawPlace, ...], by: str) -> list[bytes]:
        """Raw lines of a machine; MachineAway, or LinesRefused, where there are none."""
        socket = self._sockets.get(machine)
        if socket is None:
            raise MachineAway
        return await socket.read(places, by)

    async def _look_after(self) -> None:
        """Until no socket is left."""
        while self._sockets:
            await asyncio.sleep(_TICK)
            sockets = list(self._sockets.values())
            with suppress(StoreError):  # the database may be away for a while
                await self._check(sockets)
            if self._noting is None or self._noting.done():  # it may wait for a commit for long
                self._noting = asyncio.ensure_future(self._note(sockets))
            now = monotonic()
            pinged = [one.ping() for one in sockets if now - one.pinged_at >= _PING_EVERY]
            await asyncio.gather(*pinged)

    async def _check(self, sockets: list[_MachineSocket]) -> None:
        good = await sync_to_thread(self.live.good_keys, [one.key for one in sockets], self.now())
        for one in sockets:
            if one.key not in good:
                one.end(REVOKED)

    async def _note(self, sockets: list[_MachineSocket]) -> None:
        """Write signs of life down; what another socket has replaced ends."""
        now = monotonic()
        due = [
            one
            for one in sockets
            if one.alive_at > one.seen_at and now - one.seen_at >= _SEEN_EVERY
        ]
        if not due:
            return
        skews = {one.of.link: one.skew for one in due}
        with suppress(StoreError):
            known = await self.write(partial(self.live.seen, skews, self.now()))
            for one in due:
                one.seen_at = now
                if one.of.link not in known:
                    one.end(REPLACED)


async def _refuse(scope: Scope, send: Send, refusal: HubRefusal) -> None:
    """Before the handshake, as an HTTP response where the server supports that."""
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        close: Any = {"type": "websocket.close", "code": 4000 + refusal.status}
        await send(close)
        return
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    if refusal.retry_after is not None:
        headers.append((b"retry-after", b"%d" % refusal.retry_after))
    start: Any = {"status": refusal.status, "headers": headers}
    start["type"] = "websocket.http.response.start"
    body: Any = {"type": "websocket.http.response.body", "body": refusal.detail.encode()}
    await send(start)
    await send(body)
