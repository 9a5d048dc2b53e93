"""Lines of hook logs, spools and workflow journals -> rows and facts."""

import os
from collections.abc import Iterable
from typing import Final, TypeAlias

from msgspec import Raw
from msgspec.msgpack import encode

from unspool.decode.hooks import hook_event
from unspool.decode.lines import decode
from unspool.derive.agents.facts import FactsFold
from unspool.derive.approvals import input_print
from unspool.derive.hooks import event_key, with_time
from unspool.derive.reading.clock import millis
from unspool.derive.reading.kinds import type_of
from unspool.derive.row_facts import HookSession, index_row, whereabouts
from unspool.engine.ids import LineIds
from unspool.engine.indexing.rows import RowBatch
from unspool.model.files import SpoolEvent, SpoolGap
from unspool.model.hooks import HookEvent
from unspool.model.rows import BadLine, HookRow, SessionRow, StoredLine
from unspool.model.sidecars import AgentMeta
from unspool.model.transcript import Unreadable
from unspool.source.spool import frames

Name: TypeAlias = tuple[str, str]  # project and session

_ABOUT_INPUT: Final = frozenset(
    {
        "pre_tool_use",
        "post_tool_use",
        "post_tool_use_failure",
        "permission_denied",
        "permission_request",
    }
)


class _Log:
    """A file of lines that are no transcript's, and the time of the last of them."""

    def __init__(self) -> None:
        self.lines = 0
        self._ids = LineIds()

    def feed(self, lines: Iterable[tuple[int, bytes]], rows: RowBatch) -> None:
        """Take in the next lines."""
        for offset, line in lines:
            self._feed_line(offset, line, rows)

    def _feed_line(self, offset: int, line: bytes, rows: RowBatch) -> None:
        raise NotImplementedError

    def feed_bad(self, offset: int, length: int, reason: str, rows: RowBatch) -> None:
        """Note a line that was not read."""
        self.lines += 1
        rows.bad.append(BadLine(offset, length, self.lines, reason))

    def state(self) -> bytes:
        """Logs are short: they are read again."""
        return b""

    def resume(self, packed: bytes, uuids: Iterable[tuple[str, str]]) -> bool:
        """It has no state to go on from."""
        return False

    def sessions(self) -> list[SessionRow]:
        """It belongs to a session; it is not one."""
        return []

    def ties(self) -> tuple[int, ...]:
        """Its session says that itself."""
        return ()

    def facts(self, meta: AgentMeta | None) -> bytes:
        """Nothing about agents."""
        return b""

    def _line(self, offset: int, length: int, type: str, at: int | None) -> StoredLine:
        return StoredLine(
            self._ids.next(offset, at), offset, length, self.lines, type, timestamp=at
        )


class _Hooks(_Log):
    """A file of hook events, and what they say of their sessions."""

    def __init__(self, source_id: int, generation: int) -> None:
        super().__init__()
        self._name = f"{source_id}.{generation}"
        self._known: dict[Name, HookSession] = {}
        self._news: dict[Name, None] = {}

    def sessions(self) -> list[SessionRow]:
        """The sessions of events since the last call."""
        rows = [index_row(self._known[name].facts(*name)) for name in self._news]
        self._news.clear()
        return rows

    def _heed(self, name: Name, event: HookEvent, at: int | None) -> None:
        self._known.setdefault(name, HookSession()).feed(event, at)
        self._news[name] = None


class HookLogFold(_Hooks):
    """Reads an event log, one event a line; all are about the session the file is named after."""

    def __init__(self, source_id: int, generation: int, owner: Name = ("", "")) -> None:
        super().__init__(source_id, generation)
        self._owner = owner

    def _feed_line(self, offset: int, line: bytes, rows: RowBatch) -> None:
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
        self._heed(self._owner, event, stored.timestamp)


class SpoolFold(_Hooks):
    """Reads a spool, one framed event a line, each with a session of its own.

    Instead of the project its rows have the directory a hook names: `spooled.homed` knows roots.
    """

    def __init__(self, source_id: int, generation: int) -> None:
        super().__init__(source_id, generation)
        self._homes: dict[str, str] = {}  # of sessions, for events that do not say

    def _feed_line(self, offset: int, line: bytes, rows: RowBatch) -> None:
        self.lines += 1
        for item in frames(line, offset):
            event = None if isinstance(item, SpoolGap) else hook_event(item.payload)
            if isinstance(item, SpoolGap) and not _said(line, item.offset - offset, item.length):
                continue  # an event was there that is forgotten
            if isinstance(item, SpoolGap) or event is None:
                reason = "not a hook event" if isinstance(item, SpoolEvent) else "damaged"
                rows.bad.append(BadLine(item.offset, item.length, self.lines, reason))
            else:
                self._place(item, event, rows)

    def _place(self, item: SpoolEvent, event: HookEvent, rows: RowBatch) -> None:
        at, (path, _) = millis(with_time(event, item.at).timestamp), whereabouts(event.data)
        stored = self._line(item.offset, item.length, "hook", at)
        rows.lines.append(stored)
        session = event.session_id
        home = os.path.dirname(path) or self._homes.get(session, "")
        rows.hooks.append(_row(event, f"{self._name}.{item.offset}", stored, (home, session)))
        if session:
            self._homes[session] = home
            self._heed((home, session), event, stored.timestamp)


class JournalFold(_Log):
    """Reads a workflow's journal: which agents ran, and what for."""

    def __init__(self) -> None:
        super().__init__()
        self._facts = FactsFold()

    def _feed_line(self, offset: int, line: bytes, rows: RowBatch) -> None:
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


def _row(event: HookEvent, event_id: str, line: StoredLine, owner: Name = ("", "")) -> HookRow:
    project_id, session_id = owner
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
        session_id,
        project_id,
        input_print(event.data) if event.event_type in _ABOUT_INPUT else 0,
        event.uuid,
        event_key(event),
    )


def _said(line: bytes, start: int, length: int) -> bytes:
    return line[start : start + length].strip(b" ")


def _text(raw: Raw) -> str:
    data = bytes(raw)
    return "" if data == b"null" else data.decode("utf-8", "replace")
