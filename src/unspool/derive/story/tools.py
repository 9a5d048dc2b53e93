"""Messages -> tool executions: each call with its result, wherever in the session it lands."""

from unspool.model.document import ToolState
from unspool.model.message import Message, Piece


class Call:
    """One tool call and, once it came, its first result."""

    __slots__ = ("agent_id", "hooks", "line", "message", "piece", "reply", "result", "start")

    def __init__(self, message: Message, piece: Piece) -> None:
        self.message = message
        self.piece = piece
        self.line = message.line
        self.start = message.at
        self.agent_id = message.agent_id if message.is_sidechain else ""
        self.reply: Message | None = None
        self.result: Piece | None = None
        self.hooks: list[str] = []

    @property
    def end(self) -> int | None:
        """When the result came; nothing where it claims to precede its call."""
        return None if self.reply is None else self.reply.at

    @property
    def duration(self) -> int | None:
        """Milliseconds from call to result."""
        end = self.end
        if self.start is None or end is None or end < self.start:
            return None
        return end - self.start

    def state(self, *, may_run: bool) -> ToolState:
        """How it went; `may_run`: the session is at work and the call is in its last chunk."""
        if self.result is None:
            return "running" if may_run else "no_result"
        if self.result.flag == "rejected":
            return "rejected"
        if self.result.flag == "interrupted":
            return "interrupted"
        return "error" if self.result.is_error else "ok"


class ToolFold:
    """Matches by `tool_use_id` first; `sourceToolUseID` only where that id is of no use."""

    def __init__(self) -> None:
        self.calls: dict[str, Call] = {}
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
                self.calls[piece.id].hooks.append(piece.name)

    def _called(self, message: Message, piece: Piece) -> None:
        if piece.id in self.calls:
            return  # written again: the first time is when it began
        call = self.calls[piece.id] = Call(message, piece)
        if piece.id in self._early:
            call.reply, call.result = self._early.pop(piece.id)

    def _answered(self, message: Message, piece: Piece) -> None:
        call = self.calls.get(piece.id)
        if call is None and message.source_tool_use_id:
            call = self.calls.get(message.source_tool_use_id)
        if call is None:
            self._early.setdefault(piece.id, (message, piece))
        elif call.result is None:
            call.reply, call.result = message, piece

    def executions(self) -> list[Call]:
        """Every call, by start; calls without a time keep their place in the file."""
        return sorted(self.calls.values(), key=lambda call: (call.start or 0, call.line))

    def open_calls(self) -> list[Call]:
        """Calls without a result, in file order."""
        return [call for call in self.calls.values() if call.result is None]

    @property
    def orphan_results(self) -> int:
        """Results whose call is in no line we read."""
        return len(self._early)
