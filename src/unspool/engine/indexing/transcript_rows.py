"""Lines of one transcript -> rows for the index, from the deltas of its fold."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from msgspec import structs
from msgspec.msgpack import encode

from unspool.decode.lenient import JSON_ERRORS
from unspool.decode.lines import LinePart, decode_known, salvage_parts
from unspool.derive.fold_state import pack, unpack
from unspool.derive.reading.clock import millis
from unspool.derive.reading.kinds import type_of
from unspool.derive.reading.searchable import searchable
from unspool.derive.row_facts import Counts, agent_facts, index_row, transcript_facts
from unspool.derive.status import at_rest
from unspool.derive.story.tools import result_state
from unspool.derive.ties import offered
from unspool.derive.transcript import BATCH, Line, Record, TranscriptFold, Views
from unspool.derive.usage.file_usage import UsageReader
from unspool.engine.ids import LineIds
from unspool.engine.indexing.rows import RowBatch
from unspool.model.files import TranscriptFile
from unspool.model.message import LinkFacts, Message, Piece
from unspool.model.rows import (
    BadLine,
    CallRow,
    CauseRow,
    OddityRow,
    ResultRow,
    SessionRow,
    StoredLine,
    TextRow,
    TouchedFile,
)
from unspool.model.session import AgentFacts, RowFacts
from unspool.model.sidecars import AgentMeta
from unspool.model.transcript import (
    Assistant,
    ConversationLine,
    Entry,
    Oversize,
    Unknown,
    Unreadable,
)
from unspool.source.files import is_agent
from unspool.source.session_files import main_place

_PROMPTS: Final = frozenset({"prompt", "command", "memory", "bash_input"})
# The piece that tells most comes first.
_SPOKEN: Final = (("call", "pre_tool_use"), ("text", "assistant_text"), ("thinking", "thinking"))
_EDITS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})


class TranscriptRows:
    """Takes every line once."""

    def __init__(self, file: TranscriptFile, source_id: int) -> None:
        self._file = file
        self._agent = agent = file.agent_id or ""
        self._fold = TranscriptFold(
            file.session_id or "",
            agent,
            path=file.path,
            kind=file.kind if is_agent(file.kind) else "main",
            views=Views.NONE,
        )
        self._ids = LineIds()
        self._usage = UsageReader(file.session_id or "", agent, source_id, self._fold.start)
        self._version = ""

    @property
    def lines(self) -> int:
        """How many lines it was fed."""
        return self._fold.lines

    def feed(self, lines: Iterable[tuple[int, bytes]], rows: RowBatch) -> None:
        """Take in the next lines; damage may have glued several records into one of them."""
        waiting = iter(lines)
        while some := list(islice(waiting, BATCH)):
            self._feed(some, rows)

    def _feed(self, lines: Sequence[tuple[int, bytes]], rows: RowBatch) -> None:
        start = self._fold.start
        decoded: list[Line] = []
        damaged: dict[int, list[LinePart]] = {}
        for offset, line in lines:
            if start.is_open:
                start.feed(offset, line)
            try:
                decoded.append((offset, len(line), (decode_known(line),)))
            except JSON_ERRORS:
                found = damaged[offset] = salvage_parts(line)
                decoded.append((offset, len(line), [part.entry for part in found]))
        delta = self._fold.feed(decoded)
        records = iter(delta.records)
        for number, (offset, length, entries) in enumerate(delta.lines, delta.first):
            if offset not in damaged:
                self._add(next(records), offset, length, number, rows)
                continue
            for part, record in zip(damaged[offset], islice(records, len(entries)), strict=True):
                self._add(record, offset + part.start, part.end - part.start, number, rows)

    def state(self) -> bytes:
        """What it remembers, packed, without the uuids of its lines."""
        return pack(self._fold.state(self._ids.at, self._version))

    def resume(self, packed: bytes, uuids: Iterable[tuple[str, str]]) -> bool:
        """Go on from a state; False where that cannot be done, and nothing has changed."""
        state = unpack(packed)
        if state is None:
            return False
        self._fold.resume(state, uuids)
        self._ids.at, self._version = state.line_at, state.version
        return True

    def feed_bad(self, offset: int, length: int, reason: str, rows: RowBatch) -> None:
        """Note a line that was not read."""
        self._fold.feed([(offset, length, (Oversize(length),))])
        rows.bad.append(BadLine(offset, length, self.lines, reason))

    def _add(self, record: Record, offset: int, length: int, number: int, rows: RowBatch) -> None:
        entry, message, fresh = record.entry, record.message, record.fresh
        if message is None:
            self._add_other(entry, offset, length, number, rows)
            return
        if isinstance(entry, ConversationLine) and entry.version:
            self._version = entry.version
        line_id = self._ids.next(offset, message.at)
        is_inline = message.is_sidechain and not self._agent
        rows.usage.extend(self._usage.rows(message, entry, line_id))
        for piece in fresh.pieces if fresh else ():
            self._add_piece(message, piece, line_id, rows)
        if cause := _cause(entry, fresh, line_id):
            rows.causes.append(cause)
        kind, text = searchable(entry, message)
        rows.lines.append(
            StoredLine(
                line_id,
                offset,
                length,
                number,
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
                record.turn,
                message.agent_id if is_inline else "",
            )
        )
        if text:
            rows.texts.append(TextRow(line_id, text))

    def _add_piece(self, message: Message, piece: Piece, line_id: int, rows: RowBatch) -> None:
        if piece.kind == "call":
            agent = self._agent or (message.agent_id if message.is_sidechain else "")
            rows.calls.append(CallRow(piece.id, piece.name, line_id, message.at, agent))
            if piece.path and piece.name in _EDITS:
                rows.files.append(TouchedFile(piece.path, piece.name, line_id))
        elif piece.kind == "result":
            state = result_state(piece)
            rows.results.append(ResultRow(piece.id, line_id, message.at, state, piece.is_error))
        elif piece.kind == "other" and message.type in ("user", "assistant"):
            rows.oddities.append(OddityRow(self._version, "block", piece.name, 1, line_id))

    def _add_other(
        self, entry: Entry, offset: int, length: int, number: int, rows: RowBatch
    ) -> None:
        """Lines that are no message: metadata, the unknown and the unreadable."""
        if isinstance(entry, Unreadable):
            rows.bad.append(BadLine(offset, length, number, entry.reason))
            return
        name = type_of(entry)
        at = millis(getattr(entry, "timestamp", None))
        line = StoredLine(self._ids.next(offset, None), offset, length, number, name, timestamp=at)
        if isinstance(entry, ConversationLine):
            uuid, parent = entry.uuid or "", entry.parent_uuid or ""
            line = structs.replace(line, uuid=uuid, parent_uuid=parent)
        rows.lines.append(line)
        rows.usage.extend(self._usage.rows(None, entry, line.line_id))
        if isinstance(entry, Unknown):
            rows.oddities.append(OddityRow(self._version, "type", name, 1, line.line_id))

    def sessions(self) -> list[SessionRow]:
        """What the source says about its session; an agent's, where nobody else says anything."""
        file, fold = self._file, self._fold
        if self._agent:
            place = main_place(file.root, file.project_id, file.session_id or "")
            return [self._placed(agent_facts(fold.known()), place.path)] if place else []
        counts = Counts(fold.messages, fold.compactions, fold.lines, fold.bad_lines)
        facts = transcript_facts(fold.known(), fold.status.state, counts)
        return [self._placed(facts, file.path)]

    def ties(self) -> tuple[int, ...]:
        """What its session has in common with others."""
        return () if self._agent else offered(self._fold.known())

    def _placed(self, facts: RowFacts, path: str) -> SessionRow:
        session, project = self._file.session_id or "", self._file.project_id
        return index_row(
            structs.replace(facts, session_id=session, project_id=project, transcript_path=path)
        )

    def facts(self, meta: AgentMeta | None) -> bytes:
        """What linking agents needs of this source, packed; a main file may say nothing of any."""
        has_sent = self._fold.status.has_sent
        inline = tuple(_facts_of(one, has_sent=has_sent) for one in self._fold.inline.values())
        facts = structs.replace(_facts_of(self._fold, meta), inline=inline)
        tells = facts.id or facts.calls or facts.claims or facts.labels or inline
        return encode(facts) if tells else b""


def _facts_of(
    fold: TranscriptFold, meta: AgentMeta | None = None, *, has_sent: bool = True
) -> LinkFacts:
    """What linking needs of a thread, and of an agent's what the row of its session does."""
    facts, agent = fold.facts.facts(meta=meta), fold.agent_id
    if not agent:
        return facts
    state = fold.status.state if has_sent else at_rest(fold.status.state)
    return structs.replace(facts, row=encode(AgentFacts(agent, fold.messages, state)))


def _cause(entry: Entry, fresh: Message | None, line_id: int) -> CauseRow | None:
    if isinstance(entry, Assistant):
        skill, server = entry.attribution_skill or "", entry.attribution_mcp_server or ""
        row = CauseRow(line_id, skill, server, entry.attribution_agent or "")
        return row if row.skill or row.mcp_server or row.agent else None
    if fresh is None or fresh.voice not in _PROMPTS:
        return None
    words = fresh.head.split(maxsplit=1) if fresh.voice == "command" else []
    return CauseRow(line_id, command=words[0] if words else "")


def event_type(message: Message) -> str:
    """The timeline event of a message; "" if it is not one."""
    if message.voice in _PROMPTS:
        return "user_prompt"
    if message.category == "compact":
        return "compact"
    if message.voice == "notice":
        return "api_error"
    if message.voice in ("notification", "event"):
        return "notification"
    kinds = [piece.kind for piece in message.pieces]
    if message.type == "assistant":
        return next((event for kind, event in _SPOKEN if kind in kinds), "")
    return "post_tool_use" if "result" in kinds else ""
