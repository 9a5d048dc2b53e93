"""Records of one source, in order -> rows, and what taking in its next ones has to remember."""

from typing import Final

from msgspec import structs
from msgspec.msgpack import encode

from unspool.decode.records import known
from unspool.decode.salvage import parts
from unspool.decode.values import TROUBLE
from unspool.derive.about import AboutFold
from unspool.derive.agents.facts import FactsFold
from unspool.derive.money.pricer import Pricer
from unspool.derive.reading.clock import millis
from unspool.derive.reading.kinds import type_of
from unspool.derive.reading.messages import read
from unspool.derive.reading.repeats import Repeats
from unspool.derive.reading.searchable import searchable
from unspool.derive.row_facts import Counts, index_row, transcript_facts
from unspool.derive.status import StatusFold
from unspool.derive.story.tools import result_state
from unspool.derive.story.turns import TurnFold
from unspool.ingest.events import event_type
from unspool.ingest.ids import LineIds
from unspool.ingest.rows import Rows
from unspool.ingest.usage import UsageRows
from unspool.model.agents import FactsKind
from unspool.model.files import TranscriptFile
from unspool.model.listing import AgentFacts
from unspool.model.message import Message, Piece
from unspool.model.rows import (
    BadLine,
    CallRow,
    FileTouched,
    OddityRow,
    ResultRow,
    SessionRow,
    StoredLine,
    TextRow,
)
from unspool.model.sidecars import AgentMeta
from unspool.model.transcript import Chained, Entry, Unknown, Unreadable
from unspool.source.files import is_agent

_EDITS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})


class SourceFold:
    """Takes every record once."""

    def __init__(self, file: TranscriptFile, source_id: int, pricer: Pricer) -> None:
        self.lines = 0
        self._file = file
        self._ids = LineIds()
        self._agent = agent = file.agent_id or ""
        kind: FactsKind = file.kind if is_agent(file.kind) else "main"
        self._about = AboutFold(file.session_id or "")
        self._facts = FactsFold(agent, path=file.path, kind=kind)
        self._status = StatusFold(sidechain=bool(agent))
        self._turns = TurnFold(sidechain=bool(agent))
        self._repeats = Repeats()
        self._usage = UsageRows(file, source_id, pricer)
        self._version = ""
        self._compactions = self._messages = self._bad = 0

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
        if not self._agent:
            self._about.feed(entry, message)
        if message is None:
            self._beside(offset, length, entry, rows)
            return
        line_id = self._ids.next(offset, message.at)
        fresh = self._note(message, entry, line_id, rows)
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
                self._turns.turn_of(self.lines) or 0,
                message.agent_id if message.is_sidechain and not self._agent else "",
            )
        )
        if text:
            rows.texts.append(TextRow(line_id, text))

    def _note(self, message: Message, entry: Entry, line_id: int, rows: Rows) -> Message | None:
        """Tell a message to the folds, and write down what it used, called and answered.

        What of it is new is given back; None where it was written before.
        """
        if isinstance(entry, Chained) and entry.version:
            self._version = entry.version
        if message.tokens is not None:
            session = entry.session_id if isinstance(entry, Chained) else None
            rows.usage.append(self._usage.row(message, message.tokens, line_id, session))
        fresh = self._repeats.fresh(message)
        if fresh is None:
            return None
        self._facts.feed(fresh, entry)
        self._turns.feed(fresh)
        self._status.feed(fresh, entry)
        self._messages += fresh.type != "attachment"
        self._compactions += message.category == "compact" and not message.is_sidechain
        for piece in fresh.pieces:
            self._piece(message, piece, line_id, rows)
        return fresh

    def _piece(self, message: Message, piece: Piece, line_id: int, rows: Rows) -> None:
        if piece.kind == "call":
            agent = self._agent or (message.agent_id if message.is_sidechain else "")
            rows.calls.append(CallRow(piece.id, piece.name, line_id, message.at, agent))
            if piece.path and piece.name in _EDITS:
                rows.files.append(FileTouched(piece.path, piece.name, line_id))
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
        self._facts.feed_beside(entry)
        self._status.feed_beside(entry)
        name = type_of(entry)
        at = millis(getattr(entry, "timestamp", None))
        id = self._ids.next(offset, None)
        line = StoredLine(id, offset, length, self.lines, name, timestamp=at)
        if isinstance(entry, Chained):
            uuid, parent = entry.uuid or "", entry.parent_uuid or ""
            line = structs.replace(line, uuid=uuid, parent_uuid=parent)
        rows.lines.append(line)
        if isinstance(entry, Unknown):
            rows.oddities.append(OddityRow(self._version, "type", name, 1, line.line_id))

    def sessions(self) -> list[SessionRow]:
        """What the source says about its session; an agent's says nothing."""
        return [] if self._agent else [self._session()]

    def _session(self) -> SessionRow:
        counts = Counts(self._messages, self._compactions, self.lines, self._bad)
        facts = transcript_facts(self._about.about(self._repeats), self._status.state, counts)
        return index_row(
            structs.replace(
                facts,
                session_id=self._file.session_id or "",
                project_id=self._file.project_id,
                transcript_path=self._file.path,
            )
        )

    def facts(self, meta: AgentMeta | None) -> bytes:
        """What linking agents needs of this source, packed; a main file may say nothing of any."""
        facts = self._facts.facts(meta=meta)
        if facts.id:
            row = AgentFacts(facts.id, self._messages, self._status.state)
            return encode(structs.replace(facts, row=encode(row)))
        return encode(facts) if facts.calls or facts.claims or facts.labels else b""
