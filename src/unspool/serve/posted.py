"""Events that were kept in earlier runs, by the names they have: in the index, or still waiting."""

from threading import Lock
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unspool.derive.reading.clock import iso
from unspool.model.hooks import HookEvent
from unspool.recall.archive import Archive
from unspool.recall.hooks import Spooled
from unspool.store.sqlite.store import SqliteStore

# Told without a time of its own, the same event is named the same for as long as this.
_NEAR_MS: Final = 10_000
_ASK: Final = """
    SELECT timestamp, agent_id, duration_ms, input FROM hook_events
    WHERE session_id = ? AND event_type = ? AND
"""
_CALL: Final = _ASK + "tool_use_id = ? AND tool_use_id <> ''"
_NEAR: Final = _ASK + "timestamp BETWEEN ? AND ?"


class _Named(Struct):
    uuid: str = ""


class Posted:
    """Asked from any thread, of events that this run has not taken itself."""

    def __init__(self, store: SqliteStore, spool: str) -> None:
        self._store, self._spool = store, spool
        self._lock = Lock()
        self._waiting: dict[str, HookEvent] | None = None

    def find(self, event: HookEvent, at: int) -> HookEvent | None:
        """The same event as it was kept, if it was."""
        return self._left().get(event.uuid) or self._indexed(event, at)

    def _left(self) -> dict[str, HookEvent]:
        """What earlier runs left for the index: read once, all that follows comes through us."""
        with self._lock:
            if self._waiting is None:
                spooled = Spooled(self._spool, Archive(self._store)).sessions()
                every = (event for events in spooled.values() for event in events)
                self._waiting = {event.uuid: event for event in every if event.uuid}
            return self._waiting

    def _indexed(self, event: HookEvent, at: int) -> HookEvent | None:
        near = at - _NEAR_MS, at + _NEAR_MS
        ask, where = (_CALL, (event.tool_use_id,)) if event.tool_use_id else (_NEAR, near)
        rows = self._store.sql(ask, (event.session_id, event.event_type, *where))[1]
        for timestamp, agent, took, said in rows:
            if _uuid(said) == event.uuid:
                when = iso(timestamp) or ""
                return replace(event, timestamp=when, agent_id=agent or "", duration_ms=took)
        return None


def _uuid(said: str) -> str:
    try:
        return msgspec.json.decode(said, type=_Named).uuid
    except (ValueError, RecursionError):
        return ""
