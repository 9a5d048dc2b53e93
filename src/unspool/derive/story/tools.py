"""Messages -> tool executions: each call with its result, wherever in the session it lands."""

from bisect import bisect_left, bisect_right, insort
from itertools import chain
from typing import Final

from msgspec import Struct

from unspool.model.document import ToolState
from unspool.model.message import Message, Piece

_REFUSALS: Final[dict[str, ToolState]] = {
    "rejected": "rejected",
    "denied": "rejected",
    "interrupted": "interrupted",
}
# Few calls take longer: only they are looked for further back.
_LONG_MS: Final = 120_000


def result_state(result: Piece) -> ToolState:
    """How a call ended, by its result; denied by a rule or by the user, it was rejected."""
    return _REFUSALS.get(result.flag) or ("error" if result.is_error else "ok")


class Call(Struct, eq=False, gc=False):
    """One tool call and, once it came, its first result."""

    message: Message
    piece: Piece
    order: int  # its start, or that of the call before it where it has none
    reply: Message | None = None
    result: Piece | None = None
    hooks: tuple[str, ...] = ()

    @property
    def line(self) -> int:
        """The line it was made on."""
        return self.message.line

    @property
    def start(self) -> int | None:
        """When it was made."""
        return self.message.at

    @property
    def end(self) -> int | None:
        """When the result came; None where it claims to precede its call."""
        at = None if self.reply is None else self.reply.at
        return None if at is None or (self.start is not None and at < self.start) else at

    @property
    def duration(self) -> int | None:
        """Milliseconds from call to result."""
        end = self.end
        return None if self.start is None or end is None else end - self.start

    def was_open(self, at: int, late: int) -> bool:
        """Whether it had begun at a time, or up to `late` ms after it, and had not ended yet."""
        start, end = self.start, self.end
        return start is not None and start - late <= at and (end is None or at <= end)

    def state(self, *, may_run: bool) -> ToolState:
        """How it went; `may_run`: the session is at work and nothing has dropped the call."""
        if self.result is None:
            return "running" if may_run else "no_result"
        return result_state(self.result)


class ToolFold:
    """Matches by id; the reading has put `sourceToolUseID` where a result has no id of its own."""

    def __init__(self) -> None:
        self.calls: dict[str, Call] = {}
        self._by_start: list[Call] = []
        self._lasting: dict[str, Call] = {}  # those without an end, and those that took long
        self._clock = 0
        self._early: dict[str, tuple[Message, Piece]] = {}

    def feed(self, message: Message) -> None:
        """Note the calls and results of one message."""
        for piece in message.pieces:
            kind = piece.kind
            if kind == "call":
                self._called(message, piece)
            elif kind == "result":
                self._answered(message, piece)
            elif kind == "hook" and piece.id in self.calls:
                self.calls[piece.id].hooks += (piece.name,)

    def _called(self, message: Message, piece: Piece) -> None:
        if piece.id in self.calls:
            return  # written again: the first time is when it began
        self._clock = self._clock if message.at is None else message.at
        call = self.calls[piece.id] = self._lasting[piece.id] = Call(message, piece, self._clock)
        insort(self._by_start, call, key=_order)
        if piece.id in self._early:
            self._end(call, *self._early.pop(piece.id))

    def _answered(self, message: Message, piece: Piece) -> None:
        call = self.calls.get(piece.id)
        if call is None:
            self._early.setdefault(piece.id, (message, piece))
        elif call.result is None:
            self._end(call, message, piece)

    def _end(self, call: Call, reply: Message, result: Piece) -> None:
        call.reply, call.result = reply, result
        if call.duration is not None and call.duration <= _LONG_MS:
            del self._lasting[call.piece.id]

    def executions(self) -> list[Call]:
        """Every call, by start; those that began together in file order."""
        return list(self._by_start)

    def open_at(self, at: int, late: int) -> list[Call]:
        """The calls that were open at a time, by start; see `Call.was_open`."""
        first = bisect_left(self._by_start, at - _LONG_MS, key=_order)
        end = bisect_right(self._by_start, at + late, key=_order)
        near = self._by_start[first:end]
        found = {
            call.piece.id: call
            for call in chain(near, self._lasting.values())
            if call.was_open(at, late)
        }
        return sorted(found.values(), key=by_start)


def by_start(call: Call) -> tuple[int, int, int, int]:
    """Sort key of calls: by start, those that began together in file order."""
    return call.order, call.message.line, call.message.part, call.piece.n


def _order(call: Call) -> int:
    return call.order
