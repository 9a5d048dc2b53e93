"""Lines of hook logs and workflow journals -> rows and facts."""

from msgspec import Raw
from msgspec.msgpack import encode

from unspool.decode.hooks import hook_event
from unspool.derive.agents.facts import FactsFold
from unspool.derive.reading.clock import millis
from unspool.ingest.rows import Rows
from unspool.model.rows import BadLine, HookRow, SessionRow
from unspool.model.transcript import Entry


class HookFold:
    """Reads an event log, one event a line."""

    def __init__(self, source_id: int, generation: int) -> None:
        self.lines = 0
        self._name = f"{source_id}.{generation}"

    def begin_line(self) -> None:
        """Count a line."""
        self.lines += 1

    def feed(self, offset: int, length: int, entry: Entry, rows: Rows) -> None:
        """Note a line too long to read."""
        rows.bad.append(BadLine(offset, length, self.lines, "longer than a line may be"))

    def feed_line(self, offset: int, line: bytes, rows: Rows) -> None:
        """Take in one event."""
        if not line.strip():
            return
        event = hook_event(line)
        if event is None:
            rows.bad.append(BadLine(offset, len(line), self.lines, "not a hook event"))
            return
        rows.hooks.append(
            HookRow(
                f"{self._name}.{offset}",
                millis(event.timestamp),
                event.event_type,
                event.tool_use_id,
                event.tool_name,
                event.decision,
                _text(event.handler_results),
                _text(event.data),
                event.agent_id,
                event.duration_ms,
                "hook",
                0,
            )
        )

    def session(self) -> SessionRow | None:
        """A log names sessions; it is not one."""
        return None

    def facts(self) -> bytes:
        """Nothing about agents."""
        return b""


class JournalFold:
    """Reads a workflow's journal: which agents ran, and what for."""

    def __init__(self) -> None:
        self.lines = 0
        self._facts = FactsFold()

    def begin_line(self) -> None:
        """Count a line."""
        self.lines += 1

    def feed(self, offset: int, length: int, entry: Entry, rows: Rows) -> None:
        """Take in one line."""
        self._facts.feed_beside(entry)

    def session(self) -> SessionRow | None:
        """A journal belongs to a session; it is not one."""
        return None

    def facts(self) -> bytes:
        """What it says about agents."""
        return encode(self._facts.facts())


def _text(raw: Raw) -> str:
    data = bytes(raw)
    return "" if data == b"null" else data.decode("utf-8", "replace")
