"""Lines of one transcript, as they come -> what a live board shows of it, in little memory."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import UNSET, Raw

from unspool.derive.about import About, AboutFold
from unspool.derive.agents.inline import InlineAgents
from unspool.derive.board_words import call_line, waits_for
from unspool.derive.reading.clock import iso
from unspool.derive.reading.messages import read
from unspool.derive.reading.repeats import Repeats
from unspool.derive.reading.texts import call_input, result_content
from unspool.derive.status import StatusFold
from unspool.derive.story.tools import Call
from unspool.derive.usage.lines import FileUsage
from unspool.model.document import ToolExecution
from unspool.model.message import Message
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
        self.status.feed(message, entry)
        self._measure(message)
        if self._tell is not None:
            self._tell_calls(self._tell, message, entry)

    def _measure(self, message: Message) -> None:
        if message.tokens is not None and message.tokens.prompt:
            self.context = message.tokens.prompt
        elif message.compaction is not None:
            self.context = message.compaction[2] or self.context

    def _tell_calls(self, tell: Tell, message: Message, entry: Entry) -> None:
        for piece in message.pieces:
            if piece.kind == "call":
                given = bytes(call_input(entry, piece))
                self._calls[piece.id] = call = Call(message, piece, 0), given
                tell(_execution(*call))
            elif piece.kind == "result" and piece.id in self._calls:
                made, given = self._calls.pop(piece.id)
                made.reply, made.result = message, piece
                tell(_execution(made, given, result_content(entry, piece)))
        still = self.status.open
        if len(self._calls) > len(still):
            self._calls = {id: call for id, call in self._calls.items() if id in still}

    def known(self) -> About:
        """The facts about the session this file is part of."""
        return self.about.about(self._repeats)

    def running(self, *, agents: bool = True) -> list[str]:
        """Calls without a result, one line each, oldest first; those of agents if asked for."""
        return [
            call_line(call.piece.name, call.given)
            for call in self.status.open.values()
            if agents or call.piece.spawn is None
        ]

    def waits_for(self) -> str:
        """What the last call without a result asks somebody to decide; "" where there is none."""
        for call in reversed(list(self.status.open.values())):
            return waits_for(call.piece.name, call.given)
        return ""


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
