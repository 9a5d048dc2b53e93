"""Hook events, wherever they lie -> those of one session, or all as they come; each once.

They lie in event logs beside the sessions, in our own spool, and, once that was taken in and
tidied away, in the archive.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from zlib import crc32

from msgspec import Raw
from msgspec.structs import replace

from unspool.decode.hooks import hook_event
from unspool.derive.reading.clock import iso, millis
from unspool.errors import UnspoolError
from unspool.model.blocks import NULL
from unspool.model.files import TailState
from unspool.model.hooks import HookEvent
from unspool.model.rows import HookRow
from unspool.recall.archive import Archive
from unspool.source import tail
from unspool.source.lines import split
from unspool.source.spool import read, spool_files
from unspool.store import Store

_COPIES_MS: Final = 5_000  # two loggers write one event that far apart at most
_MOST_REMEMBERED: Final = 10_000
_LONGEST: Final = 32_768


class Once:
    """Lets each event through once, though two loggers may have written it down."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, ...], tuple[str, int]] = {}

    def is_new(self, event: HookEvent) -> bool:
        """Whether no other logger has told of it."""
        name, at = _name(event), millis(event.timestamp) or 0
        source, then = self._seen.get(name, (event.source, 0))
        is_named = bool(event.uuid or event.tool_use_id)
        if source != event.source and (is_named or abs(at - then) <= _COPIES_MS):
            return False
        self._seen[name] = event.source, at
        if len(self._seen) > _MOST_REMEMBERED:
            del self._seen[next(iter(self._seen))]
        return True


class HookTail:
    """Reads event logs and spool files on from where it stopped, or from where it is told."""

    def __init__(self, states: Mapping[str, TailState] | None = None) -> None:
        self._states = dict(states or {})

    def log(self, path: str, session_id: str) -> list[HookEvent]:
        """What a session's event log has more than before."""
        found = (hook_event(line) for line in self._lines(path))
        own = (event for event in found if event and event.session_id in ("", session_id))
        return [replace(event, session_id=session_id) for event in own]

    def spooled(self, path: str) -> Iterator[HookEvent]:
        """What a file of the spool has more than before, of whichever session."""
        more = True
        while more:
            state = self._states.get(path, TailState())
            try:
                piece = read(path, state)
            except UnspoolError:
                return  # closed to us, or gone since it was listed
            self._states[path] = piece.state
            more = piece.more and piece.state.offset > state.offset
            found = (hook_event(one.payload, iso(one.at) or "") for one in piece.events)
            yield from (event for event in found if event)

    def spool(self, directory: str, since_ns: int = 0) -> Iterator[HookEvent]:
        """What a spool has more than before, in the files written since a moment."""
        for file in spool_files(directory) if directory else ():
            if file.mtime_ns >= since_ns:
                yield from self.spooled(file.path)

    def forget(self, path: str) -> None:
        """A file that is gone may come again as another."""
        self._states.pop(path, None)

    def _lines(self, path: str) -> Iterator[bytes]:
        more = True
        while more:
            state = self._states.get(path, TailState())
            try:
                piece = tail.read(path, state)
            except UnspoolError:
                return
            self._states[path] = piece.state
            more = piece.more and piece.state.offset > state.offset
            yield from (line for _, line in split(piece.data, piece.base))


class Spooled:
    """The events of a spool by session: what lies there, and what the archive has taken in."""

    def __init__(self, directory: str, archive: Archive | None = None) -> None:
        self._directory = directory
        self._store = archive.store if archive else None
        self._tail = HookTail(_checkpoints(directory, archive))
        self._found: dict[str, list[HookEvent]] = {}

    def of(self, session_id: str) -> list[HookEvent]:
        """One session's events, those of the archive first."""
        self._read_on()
        stored = recorded(self._store, session_id) if self._store else []
        return [*stored, *self._found.get(session_id, ())]

    def sessions(self) -> dict[str, list[HookEvent]]:
        """What is not in the archive yet, by session."""
        self._read_on()
        return self._found

    def ids(self, *, archived: bool = True) -> set[str]:
        """The sessions that only hooks may tell of; those in the archive too, if wanted."""
        stored = self._store.hook_sessions() if self._store and archived else ()
        return {*self.sessions(), *stored}

    def _read_on(self) -> None:
        for event in self._tail.spool(self._directory):
            self._found.setdefault(event.session_id, []).append(_lean(event))


def recorded(store: Store, session_id: str) -> list[HookEvent]:
    """The events of a session that a store has taken in, from wherever."""
    return [_event(row) for row in store.hooks(session_id)]


def in_order(events: Iterable[HookEvent]) -> list[HookEvent]:
    """Events from several places, oldest first; what was read twice, or told twice, once."""
    once = Once()
    read: dict[tuple[int, str, str, int], HookEvent] = {}
    for event in events:
        at = millis(event.timestamp) or 0
        id = event.tool_use_id
        read.setdefault((at, event.event_type, id, 0 if id else crc32(event.data)), event)
    placed = sorted(read.items(), key=lambda found: found[0][0])
    return [event for _, event in placed if once.is_new(event)]


def _checkpoints(directory: str, archive: Archive | None) -> dict[str, TailState]:
    """How far the archive has each file of a spool."""
    sources = archive.sources().values() if archive else ()
    spools = (source for source in sources if source.kind == "spool")
    places = ((os.path.join(one.root, one.path), one.tail) for one in spools)
    return {path: state for path, state in places if os.path.dirname(path) == directory}


def _event(row: HookRow) -> HookEvent:
    data = row.input.encode()
    return HookEvent(
        event=row.event_type.title().replace("_", ""),
        event_type=row.event_type,
        session_id=row.session_id,
        timestamp=iso(row.timestamp) or "",
        tool_use_id=row.tool_use_id,
        tool_name=row.tool_name,
        agent_id=row.agent_id,
        decision=row.decision,
        duration_ms=row.duration_ms,
        handler_results=Raw(row.handler_results.encode() or b"null"),
        data=Raw(data or b"null"),
    )


def _lean(event: HookEvent) -> HookEvent:
    """The event without a body that is only long: a call's id is enough to find the rest."""
    is_long = event.tool_use_id and len(bytes(event.data)) > _LONGEST
    return replace(event, data=NULL) if is_long else event


def _name(event: HookEvent) -> tuple[str, ...]:
    """What two copies of one event have in common."""
    if event.uuid:
        return (event.uuid,)
    named = event.session_id, event.event_type, event.agent_id
    if event.tool_use_id:
        return *named, event.tool_use_id
    return *named, event.tool_name, event.prompt_id
