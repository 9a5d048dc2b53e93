"""Records of one source, in order -> rows, and what taking in its next ones has to remember."""

from typing import Final

from msgspec import structs
from msgspec.msgpack import encode

from unspool.decode.records import known
from unspool.decode.salvage import parts
from unspool.decode.values import TROUBLE
from unspool.derive.about import AboutFold
from unspool.derive.agents.facts import FactsFold
from unspool.derive.agents.inline import InlineAgents
from unspool.derive.reading.clock import millis
from unspool.derive.reading.kinds import type_of
from unspool.derive.reading.messages import read
from unspool.derive.reading.repeats import Repeats
from unspool.derive.reading.searchable import searchable
from unspool.derive.row_facts import Counts, agent_facts, index_row, transcript_facts
from unspool.derive.status import StatusFold, at_rest
from unspool.derive.story.tools import result_state
from unspool.derive.story.turns import TurnFold
from unspool.derive.usage.lines import UsageReader
from unspool.engine.indexing.events import event_type
from unspool.engine.indexing.ids import LineIds
from unspool.engine.indexing.rows import Rows
from unspool.model.files import TranscriptFile
from unspool.model.message import FactsKind, LinkFacts, Message, Piece
from unspool.model.rows import (
    BadLine,
    CallRow,
    OddityRow,
    ResultRow,
    SessionRow,
    StoredLine,
    TextRow,
    TouchedFile,
)
from unspool.model.session import AgentFacts, RowFacts
from unspool.model.sidecars import AgentMeta
from unspool.model.transcript import ConversationLine, Entry, Unknown, Unreadable
from unspool.source.files import is_agent
from unspool.source.session_files import main_place

_EDITS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})


class _Thread:
    """The lines of the file's own conversation, or of an agent that wrote into it."""

    def __init__(self, agent: str, *, path: str = "", kind: FactsKind) -> None:
        self.agent = agent
        self.facts = FactsFold(agent, path=path, kind=kind)
        self.turns = TurnFold()
        self.status = StatusFold()
        self.messages = 0

    def feed(self, message: Message, entry: Entry) -> None:
        """Tell a message to its folds."""
        self.facts.feed(message, entry)
        self.turns.feed(message)
        self.status.feed(message, entry)
        self.messages += message.type != "attachment"

    def packed(self, meta: AgentMeta | None = None, *, has_sent: bool = True) -> LinkFacts:
        """What linking needs of it, and of an agent what the row of its session does."""
        facts = self.facts.facts(meta=meta)
        if not self.agent:
            return facts
        state = self.status.state if has_sent else at_rest(self.status.state)
        return structs.replace(facts, row=encode(AgentFacts(self.agent, self.messages, state)))


class SourceFold:
    """Takes every record once."""

    def __init__(self, file: TranscriptFile, source_id: int) -> None:
        self.lines = 0
        self._file = file
        self._ids = LineIds()
        self._agent = agent = file.agent_id or ""
        kind: FactsKind = file.kind if is_agent(file.kind) else "main"
        self._about = AboutFold(file.session_id or "", agent)
        self._agents = InlineAgents()
        self._own = _Thread(agent, path=file.path, kind=kind)
        self._inline: dict[str, _Thread] = {}
        self._repeats = Repeats()
        self._usage = UsageReader(file.session_id or "", agent, source_id)
        self._version = ""
        self._compactions = self._bad = 0

    def feed_line(self, offset: int, line: bytes, rows: Rows) -> None:
        """Take in the next line; damage may have glued several records into it."""
        self.lines += 1
        if self._usage.start.is_open:
            self._usage.start.feed(offset, line)
        try:
            entry = known.decode(line)
        except TROUBLE:
            for n, part in enumerate(parts(line)):
                self._feed(offset + part.start, part.end - part.start, part.entry, n, rows)
        else:
            self._feed(offset, len(line), entry, 0, rows)

    def feed_bad(self, offset: int, length: int, reason: str, rows: Rows) -> None:
        """Note a line that was not read."""
        self.lines += 1
        self._bad += 1
        rows.bad.append(BadLine(offset, length, self.lines, reason))

    def _feed(self, offset: int, length: int, entry: Entry, part: int, rows: Rows) -> None:
        message = read(entry, self.lines, part)
        self._about.feed(entry, message)
        if message is None:
            self._beside(offset, length, entry, rows)
            return
        thread = self._own
        if message.is_sidechain and not self._agent:
            message = self._agents.name(message)
            thread = self._thread(message.agent_id)
        line_id = self._ids.next(offset, message.at)
        fresh = self._note(message, entry, line_id, thread, rows)
        kind, text = searchable(entry, message)
        rows.lines.append(
            StoredLine(
                line_id,
                offset,
                length,
                self.lines,
                message.type,
                message.subtype,
                message.uuid,
                message.parent_uuid,
                message.at,
                message.type if message.type in ("user", "assistant") else "",
                message.model,
                message.message_id,
                message.request_id,
                event_type(fresh) if fresh else "",
                kind,
                thread.turns.turn_of(self.lines) or 0,
                "" if thread is self._own else thread.agent,
            )
        )
        if text:
            rows.texts.append(TextRow(line_id, text))

    def _thread(self, agent: str) -> _Thread:
        if agent not in self._inline:
            self._inline[agent] = _Thread(agent, kind="inline_subagent")
        return self._inline[agent]

    def _note(
        self, message: Message, entry: Entry, line_id: int, thread: _Thread, rows: Rows
    ) -> Message | None:
        """Tell a message to the folds, and write down what it used, called and answered.

        What of it is new is given back; None where it was written before.
        """
        if isinstance(entry, ConversationLine) and entry.version:
            self._version = entry.version
        if message.tokens is not None:
            rows.usage.append(self._usage.row(message, message.tokens, entry, line_id))
        fresh = self._repeats.fresh(message)
        if fresh is None:
            return None
        thread.feed(fresh, entry)
        self._compactions += message.category == "compact" and thread is self._own
        for piece in fresh.pieces:
            self._piece(message, piece, line_id, thread.agent, rows)
        return fresh

    def _piece(self, message: Message, piece: Piece, line_id: int, agent: str, rows: Rows) -> None:
        if piece.kind == "call":
            rows.calls.append(CallRow(piece.id, piece.name, line_id, message.at, agent))
            if piece.path and piece.name in _EDITS:
                rows.files.append(TouchedFile(piece.path, piece.name, line_id))
        elif piece.kind == "result":
            state = result_state(piece)
            rows.results.append(ResultRow(piece.id, line_id, message.at, state, piece.is_error))
        elif piece.kind == "other" and message.type in ("user", "assistant"):
            rows.oddities.append(OddityRow(self._version, "block", piece.name, 1, line_id))

    def _beside(self, offset: int, length: int, entry: Entry, rows: Rows) -> None:
        """Lines that are no message: metadata, the unknown and the unreadable."""
        if isinstance(entry, Unreadable):
            self._bad += 1
            rows.bad.append(BadLine(offset, length, self.lines, entry.reason))
            return
        self._own.facts.feed_beside(entry)
        self._own.status.feed_beside(entry)
        name = type_of(entry)
        at = millis(getattr(entry, "timestamp", None))
        id = self._ids.next(offset, None)
        line = StoredLine(id, offset, length, self.lines, name, timestamp=at)
        if isinstance(entry, ConversationLine):
            uuid, parent = entry.uuid or "", entry.parent_uuid or ""
            line = structs.replace(line, uuid=uuid, parent_uuid=parent)
        rows.lines.append(line)
        if isinstance(entry, Unknown):
            rows.oddities.append(OddityRow(self._version, "type", name, 1, line.line_id))

    def sessions(self) -> list[SessionRow]:
        """What the source says about its session; an agent's, where nobody else says anything."""
        return [self._session()] if not self._agent else self._of_agent()

    def _of_agent(self) -> list[SessionRow]:
        file, facts = self._file, agent_facts(self._about.about(self._repeats))
        place = main_place(file.root, file.project_id, file.session_id or "")
        return [] if place is None else [self._placed(facts, place.path)]

    def _session(self) -> SessionRow:
        counts = Counts(self._own.messages, self._compactions, self.lines, self._bad)
        state = self._own.status.state
        facts = transcript_facts(self._about.about(self._repeats), state, counts)
        return self._placed(facts, self._file.path)

    def _placed(self, facts: RowFacts, path: str) -> SessionRow:
        session, project = self._file.session_id or "", self._file.project_id
        return index_row(
            structs.replace(facts, session_id=session, project_id=project, transcript_path=path)
        )

    def facts(self, meta: AgentMeta | None) -> bytes:
        """What linking agents needs of this source, packed; a main file may say nothing of any."""
        has_sent = self._own.status.has_sent
        inline = tuple(thread.packed(has_sent=has_sent) for thread in self._inline.values())
        facts = structs.replace(self._own.packed(meta), inline=inline)
        tells = facts.id or facts.calls or facts.claims or facts.labels or inline
        return encode(facts) if tells else b""
