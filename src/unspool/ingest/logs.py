"""Lines of hook logs and workflow journals -> rows and facts."""

from msgspec import Raw
from msgspec.msgpack import encode

from unspool.decode.hooks import hook_event
from unspool.decode.lines import decode
from unspool.derive.agents.facts import FactsFold
from unspool.derive.reading.clock import millis
from unspool.ingest.events import type_of
from unspool.ingest.ids import LineIds
from unspool.ingest.rows import Rows
from unspool.model.hooks import HookEvent
from unspool.model.rows import BadLine, HookRow, SessionRow, StoredLine
from unspool.model.sidecars import AgentMeta
from unspool.model.transcript import Unreadable


class _Log:
    """A file of lines that are no transcript's, and the time of the last of them."""

    def __init__(self, source_id: int, generation: int) -> None:
        self.lines = 0
        self._name = f"{source_id}.{generation}"
        self._ids = LineIds(source_id, generation)

    def feed_bad(self, offset: int, length: int, reason: str, rows: Rows) -> None:
        """Note a line that was not read."""
        self.lines += 1
        rows.bad.append(BadLine(offset, length, self.lines, reason))

    def session(self) -> SessionRow | None:
        """It belongs to a session; it is not one."""
        return None

    def _line(self, offset: int, length: int, type: str, at: int | None) -> StoredLine:
        return StoredLine(
            self._ids.next(offset, at), offset, length, self.lines, type, timestamp=at
        )


class HookFold(_Log):
    """Reads an event log, one event a line."""

    def feed_line(self, offset: int, line: bytes, rows: Rows) -> None:
        """Take in one event."""
        if not line.strip():
            self.lines += 1
            return
        event = hook_event(line)
        if event is None:
            self.feed_bad(offset, len(line), "not a hook event", rows)
            return
        self.lines += 1
        stored = self._line(offset, len(line), "hook", millis(event.timestamp))
        rows.lines.append(stored)
        rows.hooks.append(_row(event, f"{self._name}.{offset}", stored))

    def facts(self, meta: AgentMeta | None) -> bytes:
        """Nothing about agents."""
        return b""


class JournalFold(_Log):
    """Reads a workflow's journal: which agents ran, and what for."""

    def __init__(self, source_id: int, generation: int) -> None:
        super().__init__(source_id, generation)
        self._facts = FactsFold()

    def feed_line(self, offset: int, line: bytes, rows: Rows) -> None:
        """Take in one line."""
        entries = decode(line)
        if any(isinstance(entry, Unreadable) for entry in entries):
            self.feed_bad(offset, len(line), "damaged", rows)
        else:
            self.lines += 1
            for entry in entries[:1]:
                at = millis(getattr(entry, "timestamp", None))
                rows.lines.append(self._line(offset, len(line), type_of(entry), at))
        for entry in entries:
            self._facts.feed_beside(entry)

    def facts(self, meta: AgentMeta | None) -> bytes:
        """What it says about agents."""
        return encode(self._facts.facts())


def _row(event: HookEvent, event_id: str, line: StoredLine) -> HookRow:
    return HookRow(
        event_id,
        line.timestamp,
        event.event_type,
        event.tool_use_id,
        event.tool_name,
        event.decision,
        _text(event.handler_results),
        _text(event.data),
        event.agent_id,
        event.duration_ms,
        "hook",
        line.line_id,
    )


def _text(raw: Raw) -> str:
    data = bytes(raw)
    return "" if data == b"null" else data.decode("utf-8", "replace")
