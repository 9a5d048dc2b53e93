"""The machine's one socket to the hub: its board as it changes, its queue, and raw lines if asked.

Shipping does not depend on it: where the socket is lost it is opened again, and that is all.
"""

import ssl
from collections.abc import Callable, Iterator, Mapping
from threading import Event, Thread
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from unspool.errors import UnspoolError
from unspool.hub.collector.link import pause
from unspool.json_depth import shallow
from unspool.model.document import SessionInfo, SessionLinks
from unspool.model.query import SessionKey
from unspool.model.secondary import (
    BOARD_EVERY_MS,
    MOST_MESSAGE,
    MOST_ROW,
    PATH,
    FromHub,
    Hello,
    LinesMessage,
    Ping,
    PolicyMessage,
    Pong,
    QueueMessage,
    ReadMessage,
    Revoked,
)
from unspool.model.session import Board, BoardRow
from unspool.model.shipping import MachineReport
from unspool.redact import Redactor
from unspool.store.cleaning import cleaned

_LONGEST_WAIT: Final = 60.0
_STEADY: Final = 10.0  # a socket that was open for so long was no failure
_LOOK_EVERY: Final = 2.0
_SECONDS: Final = 20.0  # to connect, and to answer a ping
_ENOUGH: Final = MOST_MESSAGE // 2
_REFUSED, _REPLACED = 4401, 4409
_TROUBLE: Final = (OSError, WebSocketException)
_decoder: Final = msgspec.json.Decoder(FromHub)
_Encoded: TypeAlias = dict[SessionKey, bytes]


class LinkParts(NamedTuple):
    """What a link works with."""

    url: str  # of the hub
    key: str
    hello: Hello
    boards: Callable[[Event], Iterator[Board]]  # of this machine, until the event is set
    may_show: Callable[[SessionInfo], bool]
    report: Callable[[], MachineReport | None]  # of the queue; None: not known yet
    lines: Callable[[ReadMessage], Iterator[LinesMessage]]
    now: Callable[[], int]
    say: Callable[[str], object] = lambda _: None


class _Board(Struct, frozen=True, tag_field="type", tag="board"):
    """A `BoardMessage` of rows that are encoded already."""

    rows: list[Raw]
    gone: list[SessionKey]
    whole: bool


class BoardLink:
    """Kept open by threads of its own until `stop` is set, or the hub revokes the key."""

    def __init__(self, parts: LinkParts, stop: Event) -> None:
        self._parts, self._stop = parts, stop
        self._rows = SentRows(parts.may_show, parts.hello.mode)
        self._board: Board | None = None
        self._changed, self._is_refused = Event(), False
        self._policy = PolicyMessage()
        self._threads = [
            Thread(target=one, name=f"unspool-{one.__name__.strip('_')}", daemon=True)
            for one in (self._watch_board, self._keep_open)
        ]

    def start(self) -> None:
        """Begin."""
        for one in self._threads:
            one.start()

    def join(self) -> None:
        """Wait for the end, once `stop` is set."""
        self._changed.set()
        for one in self._threads:
            one.join(_LOOK_EVERY)

    def _watch_board(self) -> None:
        failures = 0
        while not self._stop.is_set():
            try:
                for board in self._parts.boards(self._stop):
                    self._board, failures = board, 0
                    self._changed.set()
            except (UnspoolError, OSError) as error:
                failures += 1
                if failures == 2:
                    self._parts.say(f"The board is not sent: {error}")
                self._stop.wait(pause(failures, _LONGEST_WAIT))

    def _keep_open(self) -> None:
        failures = 0
        while not (self._stop.is_set() or self._is_refused):
            since = monotonic()
            code = self._connected()
            failures = 0 if monotonic() - since > _STEADY else failures + 1
            if code == _REFUSED:
                return  # what is shipped finds out, too, and says so
            # Another collector has this key: not in turns.
            self._stop.wait(pause(10 if code == _REPLACED else failures, _LONGEST_WAIT))

    def _connected(self) -> int:
        """Talk for as long as it goes; the code with which the hub ended it, 0 for none."""
        parts = urlsplit(self._parts.url)
        is_tls = parts.scheme == "https"
        address = f"{'wss' if is_tls else 'ws'}://{parts.netloc}{parts.path}{PATH}"
        try:
            with connect(
                address,
                ssl=ssl.create_default_context() if is_tls else None,
                additional_headers={"Authorization": f"Bearer {self._parts.key}"},
                compression=None,
                proxy=None,  # what is shipped goes directly, too
                open_timeout=_SECONDS,
                ping_interval=_SECONDS,
                ping_timeout=_SECONDS,
                close_timeout=1,
                max_size=MOST_MESSAGE,
            ) as socket:
                over = Event()
                listener = Thread(target=self._listen, args=(socket, over), daemon=True)
                listener.start()
                try:
                    self._talk(socket, over)
                finally:
                    socket.close()
                    listener.join(_LOOK_EVERY)
                return socket.close_code or 0
        except InvalidStatus as refusal:
            return _REFUSED if refusal.response.status_code == 401 else 0
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 0
        except _TROUBLE:
            return 0

    def _talk(self, socket: ClientConnection, over: Event) -> None:
        """Send what is new, until the socket is closed."""
        _send(socket, replace(self._parts.hello, clock=self._parts.now()))
        sent: _Encoded | None = None
        told: QueueMessage | None = None
        while not (over.is_set() or self._stop.is_set()):
            self._changed.clear()
            messages: list[Struct] = []
            if (board := self._board) is not None:
                rows = self._rows.encoded(board, self._policy.most_rows)
                messages += _changes(sent, rows)
                sent = rows
            if (report := self._parts.report()) is not None:
                queue = QueueMessage(bytes=report.waiting_bytes or 0, newest=report.waiting_at)
                messages += [queue] if queue != told else []
                told = queue
            for message in messages:
                _send(socket, message)
            if messages:
                self._stop.wait(self._rest)
            self._changed.wait(_LOOK_EVERY)

    @property
    def _rest(self) -> float:
        """Seconds between two messages: the hub may ask for more of them, up to a minute."""
        return max(BOARD_EVERY_MS, min(self._policy.board_every_ms, 60_000)) / 1_000

    def _listen(self, socket: ClientConnection, over: Event) -> None:
        """Do what the hub asks; what it says that is not known here is left alone."""
        try:
            for data in socket:
                try:
                    message = _decoder.decode(shallow(data))
                except (ValueError, RecursionError):
                    continue
                for answer in self._answers(message):
                    _send(socket, answer)
        except _TROUBLE:
            pass
        finally:
            over.set()
            self._changed.set()

    def _answers(self, message: Any) -> Iterator[Struct]:
        if isinstance(message, Ping):
            yield Pong(at=message.at, clock=self._parts.now())
        elif isinstance(message, PolicyMessage):
            self._policy = message
        elif isinstance(message, ReadMessage):
            yield from self._parts.lines(message)
        elif isinstance(message, Revoked):
            self._is_refused = True


class SentRows:
    """Rows of a board as they may leave the machine; encoded again only where one changed."""

    def __init__(self, may_show: Callable[[SessionInfo], bool], mode: str) -> None:
        self._may_show, self._mode = may_show, mode
        self._redactor = Redactor()
        self._known: dict[SessionKey, tuple[BoardRow, bytes]] = {}

    def encoded(self, board: Board, most: int) -> _Encoded:
        """The newest rows, by project and session; a mode without texts sends none."""
        known, self._known = self._known, {}
        for row in board.rows if self._mode in ("redacted", "raw") else ():
            name = row.session.project_id, row.session.id
            if len(self._known) >= most:
                break
            if self._may_show(row.session):
                before = known.get(name)
                is_same = before is not None and before[0] == row
                data = before[1] if before and is_same else self._encode(row)
                if len(data) <= MOST_ROW:
                    self._known[name] = row, data
        return {name: data for name, (_, data) in self._known.items()}

    def _encode(self, row: BoardRow) -> bytes:
        """What a board shows; the rest is told by the lines of the session."""
        bare = replace(
            row.session,
            files=None,
            links=SessionLinks(),
            task_list=None,
            todos=None,
            plan_file=None,
        )
        small = replace(row, session=bare, alerts=())
        if self._mode != "raw":
            small = self._redactor.value(small)
        try:
            data = msgspec.json.encode(small)
        except UnicodeError:  # half a character
            small = cleaned(small)
            data = msgspec.json.encode(small)
        return data if len(data) <= MOST_ROW else msgspec.json.encode(replace(small, asks=""))


def _send(socket: ClientConnection, message: Struct) -> None:
    socket.send(msgspec.json.encode(message).decode())


def _changes(sent: Mapping[SessionKey, bytes] | None, rows: _Encoded) -> Iterator[_Board]:
    """Messages that bring the hub from what was sent to these rows; the first is the whole."""
    before = sent or {}
    changed = [data for name, data in rows.items() if before.get(name) != data]
    gone = [name for name in before if name not in rows]
    if not (changed or gone or sent is None):
        return
    part: list[Raw] = []
    size, is_first = 0, True
    for data in changed:
        if size + len(data) > _ENOUGH:
            yield _Board(part, gone if is_first else [], is_first and sent is None)
            part, size, is_first = [], 0, False
        part.append(Raw(data))
        size += len(data)
    yield _Board(part, gone if is_first else [], is_first and sent is None)
