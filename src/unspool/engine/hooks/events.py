"""Hook events, wherever they lie -> those of one session, or all as they come.

They lie in event logs beside the sessions, in our own spool, and, once that was taken in and
tidied away, in the archive.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Raw
from msgspec.structs import replace

from unspool.decode.hooks import hook_event
from unspool.derive.hooks import lean, with_time
from unspool.derive.reading.clock import iso
from unspool.derive.row_facts import whereabouts
from unspool.engine.archive.reader import Archive
from unspool.errors import UnspoolError
from unspool.model.files import Root, TailState
from unspool.model.hooks import HookEvent
from unspool.model.live import HookNote, HookStamp
from unspool.model.query import SessionKey, SessionQuery
from unspool.model.rows import HookRow
from unspool.source import tail
from unspool.source.forgotten import Tombstones, is_forgotten_in, tombstones
from unspool.source.roots import FORGOTTEN
from unspool.source.session_files import main_files, project_of
from unspool.source.spool import read, spool_files
from unspool.source.tail import split_lines
from unspool.store import Store
from unspool.store.event_rows import EventRows

_MANY_LINES: Final = 5_000
_MANY_PROJECTS: Final = 100


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
            gone = tombstones(tombstones_of(path))
            for one in piece.events:
                event = hook_event(one.payload)
                if event and not (gone and _is_of(gone, event)):
                    yield with_time(event, one.at)

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
            yield from (line for _, line in split_lines(piece.data, piece.base))


def tombstones_of(spooled: str) -> str:
    """Where the tombstones are that a file of a spool obeys: in the home the spool is in."""
    return os.path.join(os.path.dirname(os.path.dirname(spooled)), FORGOTTEN)


def is_forgotten_payload(gone: Tombstones) -> Callable[[bytes], bool]:
    """Whether what a hook left is of a forgotten session; of what cannot be read, its id tells."""

    def is_forgotten(payload: bytes) -> bool:
        event = hook_event(payload)
        return gone.named_in(payload) if event is None else _is_of(gone, event)

    return is_forgotten


def _is_of(gone: Tombstones, event: HookEvent) -> bool:
    return gone.has_event(event.session_id, whereabouts(event.data)[0])


class NewHooks(NamedTuple):
    """Hook records to take in; where `are_all` is true, those of before are to be forgotten."""

    notes: list[HookNote]
    are_all: bool


class HookNews:
    """Tells what hook records a store has of one session that it did not have when last asked."""

    def __init__(self) -> None:
        self._state, self._count = HookStamp(0, "", ""), 0

    def read(self, rows: EventRows) -> NewHooks | None:
        """None if nothing changed; all records where some went, or are of the session only now."""
        before, self._state = self._state, rows.hook_state()
        if self._state == before:
            return None
        newest, *others = self._state
        if newest - before.newest > _MANY_LINES:
            notes = [note for note in rows.hook_notes() if note.line_id > before.newest]
        else:
            notes = rows.new_hook_notes(before.newest)
        is_other = newest < before.newest or others != [*before[1:]]
        are_all = is_other and rows.hook_count() != self._count + len(notes)
        if are_all:
            notes = rows.hook_notes()
        self._count = len(notes) + (0 if are_all else self._count)
        return NewHooks(notes, are_all) if notes or is_other else None


class StoredEvents:
    """The events of one session that a store has taken in; only what is new is read."""

    def __init__(self, store: Store, project_id: str, session_id: str) -> None:
        self._source = store.events_of(project_id, session_id)
        self._news = HookNews()
        self._events: list[HookEvent] = []

    def read_on(self) -> list[HookEvent]:
        """All of them in the order in which they came; those of before are the same objects."""
        with self._source.reading() as rows:
            if news := self._news.read(rows):
                found = rows.hooks_by_line([note.line_id for note in news.notes])
                new = map(_event, sorted(found, key=lambda row: row.line_id))
                self._events = [*new] if news.are_all else [*self._events, *new]
        return self._events


class SpoolEvents:
    """The events of a spool by session: what lies there, and what the archive has taken in."""

    def __init__(
        self, directory: str, roots: Sequence[Root] = (), archive: Archive | None = None
    ) -> None:
        self._directory, self._roots = directory, roots
        self._store = archive.store if archive else None
        self._tail = HookTail(checkpoints(directory, archive))
        self._found: dict[str, list[tuple[str | None, HookEvent]]] = {}  # with its project

    def of(
        self, project_id: str, session_id: str, stored: StoredEvents | None = None
    ) -> list[HookEvent]:
        """One session's events, those of the archive first; who asks again has them `stored`."""
        # The spool first: what is taken in meanwhile is then in both, not in neither.
        fresh = self.spooled(project_id, session_id)
        stored = stored or self.stored(project_id, session_id)
        return [*(stored.read_on() if stored else ()), *fresh]

    def stored(self, project_id: str, session_id: str) -> StoredEvents | None:
        """The archived events of a session, for repeated reads; None without an archive."""
        return StoredEvents(self._store, project_id, session_id) if self._store else None

    def spooled(self, project_id: str, session_id: str) -> list[HookEvent]:
        """Those of the spool, as it is now."""
        self.read_on()
        return self.fresh(project_id, session_id)

    def fresh(self, project_id: str, session_id: str) -> list[HookEvent]:
        """Those that the archive had not taken in when the spool was last read."""
        found = self._found.get(session_id, ())
        names_none = any(home is None for home, _ in found)
        newest = self._newest(session_id) if names_none else None
        return [event for home, event in found if (home or newest or project_id) == project_id]

    def _newest(self, session_id: str) -> str | None:
        """The project of an event that names none: the newest of its session's id."""
        every = (file for root in self._roots for file in main_files(root))
        mine = (file for file in every if file.session_id == session_id)
        return max(((file.mtime_ns, file.project_id) for file in mine), default=(0, None))[1]

    def names(self, *, archived: bool = True) -> set[SessionKey]:
        """The sessions that only hooks may tell of; those in the archive too, if wanted."""
        self.read_on()
        found = set(self._store.hook_sessions()) if self._store and archived else set()
        return found | self._names(self._found)

    def names_of(self, session_id: str) -> set[SessionKey]:
        """Those of them that have an id."""
        self.read_on()
        query = SessionQuery(id=session_id, everything=True, limit=_MANY_PROJECTS)
        rows = self._store.sessions(query) if self._store else ()
        found = {(row.project_id, row.session_id) for row in rows if row.origin == "hook"}
        return found | self._names([session_id] if session_id in self._found else ())

    def _names(self, ids: Iterable[str]) -> set[SessionKey]:
        """What events of the spool that the archive has not taken in say of their sessions."""
        found: set[SessionKey] = set()
        for id in ids:
            for home, event in self._found[id]:
                _, cwd = whereabouts(event.data)
                project = home or self._newest(id) or project_of("", cwd, self._roots)
                if project and not is_forgotten_in(self._roots, project, id):
                    found.add((project, id))
        return found

    def read_on(self) -> None:
        """Take in what was spooled since."""
        for event in self._tail.spool(self._directory):
            path, _ = whereabouts(event.data)
            home = project_of(path, "", self._roots) if path else None
            self._found.setdefault(event.session_id, []).append((home, lean(event)))


def stored_events(store: Store, project_id: str, session_id: str) -> list[HookEvent]:
    """The events of a session that a store has taken in, from wherever."""
    return [_event(row) for row in store.hooks(project_id, session_id)]


def checkpoints(directory: str, archive: Archive | None) -> dict[str, TailState]:
    """How far the archive has each file of a spool."""
    spools = archive.store.spools() if archive and directory else ()
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
        uuid=row.uuid,
        data=Raw(data or b"null"),
    )
