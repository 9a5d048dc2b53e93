"""Lines of one transcript, as they come -> what a live board shows of it, in little memory."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import UNSET, Raw

from unspool.derive.about import About, AboutFold
from unspool.derive.agents.inline import InlineAgents
from unspool.derive.board_words import call_line, summary, waits_for
from unspool.derive.reading.clock import iso
from unspool.derive.reading.messages import read
from unspool.derive.reading.repeats import Repeats
from unspool.derive.reading.texts import call_input, result_content
from unspool.derive.status import StatusFold
from unspool.derive.story.ongoing import OngoingFold
from unspool.derive.story.tools import Call
from unspool.derive.usage.lines import FileUsage
from unspool.model.document import PendingTool, ToolExecution
from unspool.model.message import Message, Piece
from unspool.model.transcript import Entry

Tell: TypeAlias = Callable[[ToolExecution], object]


class BoardFold:
    """A session's own file, or one of its agents'.

    Whoever wants to know of every call, and of every call's end, gives `tell`.
    """

    def __init__(
        self,
        usage: FileUsage,
        session_id: str,
        agent_id: str = "",
        *,
        tell: Tell | None = None,
    ) -> None:
        self.about = AboutFold(session_id, agent_id)
        self.status = StatusFold()
        self.ongoing = OngoingFold()
        self.inline: dict[str, BoardFold] = {}  # agents that write into this file
        self.messages = 0
        self.context = 0  # what the model read last: the measured context of the thread
        self.usage = usage
        self._session, self._agent = session_id, agent_id
        self._agents = InlineAgents()
        self._tell = tell
        self._repeats = Repeats()
        self._calls: dict[str, tuple[Call, bytes]] = {}
        self._line = 0

    def feed(self, entries: Sequence[Entry]) -> None:
        """Take in the entries of the next line."""
        self._line += 1
        for part, entry in enumerate(entries):
            message = read(entry, self._line, part)
            self.about.feed(entry, message)
            if message is None:
                self.status.feed_beside(entry)
                continue
            thread = self
            if message.is_sidechain and not self._agent:
                message = self._agents.name(message)
                thread = self._inline(message.agent_id)
                thread.about.feed(entry, message)
            self.usage.feed(message, entry)
            fresh = self._repeats.fresh(message)
            if fresh is not None:
                thread._take(fresh, entry)

    def _inline(self, agent: str) -> "BoardFold":
        if agent not in self.inline:
            made = BoardFold(self.usage, self._session, agent, tell=self._tell)
            self.inline[agent] = made
        return self.inline[agent]

    def _take(self, message: Message, entry: Entry) -> None:
        self.messages += message.type != "attachment"
        self.ongoing.feed(message)
        self.status.feed(message)
        self._measure(message)
        for piece in message.pieces:
            if piece.kind == "call":
                self._called(message, piece, entry)
            elif piece.kind == "result":
                self._answered(message, piece, entry)
        if len(self._calls) > len(self.status.open):
            still = self.status.open
            self._calls = {id: call for id, call in self._calls.items() if id in still}

    def _measure(self, message: Message) -> None:
        if message.tokens is not None and message.tokens.prompt:
            self.context = message.tokens.prompt
        elif message.compaction is not None:
            self.context = message.compaction[2] or self.context

    def _called(self, message: Message, piece: Piece, entry: Entry) -> None:
        # A copy: the line it stands in goes.
        given = bytes(call_input(entry, piece))
        self._calls[piece.id] = call, _ = Call(message, piece, 0), given
        if self._tell is not None:
            self._tell(_execution(call, given))

    def _answered(self, message: Message, piece: Piece, entry: Entry) -> None:
        call, given = self._calls.pop(piece.id, (None, b""))
        if call is not None and self._tell is not None:
            call.reply, call.result = message, piece
            self._tell(_execution(call, given, result_content(entry, piece)))

    def known(self) -> About:
        """The facts about the session this file is part of."""
        return self.about.about(self._repeats)

    def running(self, *, agents: bool = True) -> list[str]:
        """Calls without a result, one line each, oldest first; those of agents if asked for."""
        return [
            call_line(call.piece.name, given)
            for call, given in self._calls.values()
            if agents or call.piece.spawn is None
        ]

    def waits_for(self) -> str:
        """What the last call without a result asks somebody to decide; "" where there is none."""
        for call, given in reversed(self._calls.values()):
            return waits_for(call.piece.name, given)
        return ""

    def pending(self) -> PendingTool | None:
        """The last call without a result."""
        for call, given in reversed(self._calls.values()):
            return PendingTool(call.piece.id, call.piece.name, summary(given), iso(call.start))
        return None


def _execution(call: Call, given: bytes, answered: Raw | None = None) -> ToolExecution:
    return ToolExecution(
        tool_use_id=call.piece.id,
        name=call.piece.name,
        input=Raw(given),
        result=UNSET if answered is None else answered,
        state=call.state(may_run=True),
        start_time=iso(call.start),
        end_time=iso(call.end),
        duration_ms=call.duration,
        line=call.line,
        result_line=call.reply.line if call.reply else None,
    )
