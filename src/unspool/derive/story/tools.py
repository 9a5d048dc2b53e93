"""Messages -> tool executions: each call with its result, wherever in the session it lands."""

from typing import Final

from msgspec import Struct

from unspool.model.document import ToolState
from unspool.model.message import Message, Piece

_REFUSALS: Final[dict[str, ToolState]] = {
    "rejected": "rejected",
    "denied": "rejected",
    "interrupted": "interrupted",
}


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

    def state(self, *, may_run: bool) -> ToolState:
        """How it went; `may_run`: the session is at work and nothing has dropped the call."""
        if self.result is None:
            return "running" if may_run else "no_result"
        return result_state(self.result)


class ToolFold:
    """Matches by id; the reading has put `sourceToolUseID` where a result has no id of its own."""

    def __init__(self) -> None:
        self.calls: dict[str, Call] = {}
        self._clock = 0
        self._open: dict[str, Call] = {}
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
        call = self.calls[piece.id] = Call(message, piece, self._clock)
        if piece.id in self._early:
            call.reply, call.result = self._early.pop(piece.id)
        else:
            self._open[piece.id] = call

    def _answered(self, message: Message, piece: Piece) -> None:
        call = self.calls.get(piece.id)
        if call is None:
            self._early.setdefault(piece.id, (message, piece))
        elif call.result is None:
            call.reply, call.result = message, piece
            del self._open[piece.id]

    def executions(self) -> list[Call]:
        """Every call, by start; those that began together in file order."""
        return sorted(self.calls.values(), key=lambda call: call.order)

    def open_calls(self) -> list[Call]:
        """Calls without a result, in file order."""
        return list(self._open.values())
