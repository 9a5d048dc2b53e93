"""Sessions of a server: each read once and locked while it is used; old ones are evicted."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import chain
from secrets import token_bytes
from threading import Lock
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

import msgspec
from msgspec import Struct

from unspool.derive.transcript import Views
from unspool.derive.whole import Prices
from unspool.engine.archive.reader import Archive
from unspool.engine.cache import DEFAULT_BUDGET, DataCache
from unspool.engine.hooks.events import SpoolEvents
from unspool.engine.sessions.finder import Finder
from unspool.engine.sessions.index_scope import IndexScope
from unspool.engine.sessions.indexed_roots import IndexedRoots
from unspool.engine.sessions.live_session import LiveSession
from unspool.engine.sessions.options import ENTERPRISE, ReadingOptions
from unspool.engine.sessions.ownership import Owners
from unspool.engine.sessions.related import IndexedRelatedSessions, NoRelatedSessions
from unspool.engine.sessions.session import SessionReader
from unspool.engine.transcripts.archived import ArchivedSessions
from unspool.engine.transcripts.reader import read_beginning
from unspool.errors import NotFound, SessionDeleted
from unspool.model.document import SessionDocument
from unspool.model.files import TranscriptFile
from unspool.model.hooks import HookEvent
from unspool.model.query import SessionKey
from unspool.source.files import stat_file
from unspool.source.forgotten import is_forgotten_in
from unspool.source.session_files import written_at

# How long the list of deleted files is good for.
_SWEPT_MS: Final = 2_000
_SPOOLED_MS: Final = 10_000
# A long session, and how much of it is read for its first page.
_LONG: Final = 16 * 1024 * 1024
_BEGINNING: Final = 8 * 1024 * 1024
# Where its main transcript is, and whether it is still there.
_Key: TypeAlias = tuple[str, bool]
_NOT_FOUND: Final = "There is no such session."
_FORGOTTEN: Final = "This session was forgotten."
_NOT_SENT: Final = "The machine of this session has not sent its lines."
_DELETED: Final = "Claude Code deleted this session before it was archived."


class LockedSession(Struct, frozen=True):
    """A session in use, and a tag that changes when its document may."""

    session: SessionReader
    tag: str
    memo: dict[Any, Any]  # what pages computed of it, while it is in memory


class _SharedSpoolEvents(SpoolEvents):
    def __init__(self, source: IndexedRoots) -> None:
        super().__init__(source.spool, source.roots, Archive(source.store))
        self._lock = Lock()

    def spooled(self, project_id: str, session_id: str) -> list[HookEvent]:
        with self._lock:
            return super().spooled(project_id, session_id)

    def names(self, *, archived: bool = True) -> set[SessionKey]:
        with self._lock:
            return super().names(archived=archived)

    def names_of(self, session_id: str) -> set[SessionKey]:
        with self._lock:
            return super().names_of(session_id)


class SessionCache:
    """Opens sessions by project and id. Names are looked up, never made into paths."""

    def __init__(
        self, source: IndexedRoots, scope: IndexScope | None = None, budget: int = DEFAULT_BUDGET
    ) -> None:
        self._source = source
        self._scope = scope or IndexScope(source.store, source.roots, source.home)
        self._prices = Prices(source.prices, "billing")
        self._related = IndexedRelatedSessions(source.roots, source.store, self._archived)
        self._owners = Owners(source.roots, source.store)
        self._lock = Lock()
        self._open: DataCache[_Key, LiveSession] = DataCache(budget)
        # All sessions in memory, for pages or for the board.
        self._live: WeakValueDictionary[_Key, LiveSession] = WeakValueDictionary()
        self._openings: dict[_Key, Lock] = {}
        self._swept = ArchivedSessions(Archive(source.store), source.roots)
        self._swept_at = source.now()
        self._spooled: tuple[int, _SharedSpoolEvents] | None = None
        self._run = token_bytes(8)

    def clear(self) -> None:
        """Keep no session in memory: the index is another, or some were forgotten."""
        with self._lock:
            self._open.drop(lambda _: True)
            self._live.clear()
            self._spooled = None
            self._swept_at = -_SWEPT_MS

    @contextmanager
    def session(self, project_id: str, session_id: str) -> Iterator[SessionReader]:
        """A session as it is now, locked for the block."""
        with self._opened(project_id, session_id) as live:
            yield SessionReader(live, self._related)

    @contextmanager
    def locked(self, project_id: str, session_id: str) -> Iterator[LockedSession]:
        """The same, with a tag."""
        with self._opened(project_id, session_id) as live:
            session = SessionReader(live, self._related)
            yield LockedSession(session, self._tag(live, session), live.memo)

    @contextmanager
    def _opened(self, project_id: str, session_id: str) -> Iterator[LiveSession]:
        file = self.find(project_id, session_id)
        live = self._shared(file, Views.PAGE)
        try:
            with live.lock:
                setting = self._setting()
                live.read_story(setting)
                live.refresh(setting)
                if live.is_empty:
                    raise NotFound(_NOT_FOUND)
                if not live.has_lines and (reason := self._source.withheld(project_id)):
                    raise SessionDeleted(reason)
                yield live
        finally:
            self._keep(_key(file), live)

    def _keep(self, key: _Key, live: LiveSession) -> None:
        with self._lock:
            evicted = self._open.put(key, live)
        for one in evicted:
            if one.lock.acquire(blocking=False):  # else it is in use, and put back after
                one.drop_story()
                one.lock.release()

    def for_board(self, file: TranscriptFile) -> LiveSession:
        """A session for the board; without its story unless a page is open."""
        return self._shared(file, Views.USAGE)

    def _shared(self, file: TranscriptFile, views: Views) -> LiveSession:
        """A session that is in memory, or is read now, by one thread."""
        key = _key(file)
        with self._lock:
            opening = self._openings.setdefault(key, Lock())
        with opening:
            with self._lock:
                live = self._live.get(key)
            try:
                live = live or self._read(file, views)
                with self._lock:
                    self._live[key] = live
                return live
            finally:
                with self._lock:
                    self._openings.pop(key, None)

    def separate(self, project_id: str, session_id: str) -> SessionReader:
        """A session read again, for a long task: other readers do not wait for it."""
        file = self.find(project_id, session_id)
        return SessionReader(self._read(file, Views.PAGE), self._related)

    def beginning(self, project_id: str, session_id: str, messages: int) -> SessionReader | None:
        """The first messages of a long session that is not in memory, without its agents.

        None if it is in memory or short: reading a hundred megabytes takes seconds.
        """
        file = self.find(project_id, session_id)
        with self._lock:
            live = self._live.get(_key(file))
            is_read = live is not None and live.has_story
        if is_read or file.size < _LONG:
            return None
        archived, is_there = self._archived(), stat_file(file.path) is not None
        begin = read_beginning if is_there else archived.beginning
        main = begin(file, messages, _BEGINNING)
        if main is None:
            return None
        live = LiveSession(file, self._setting(), archived, begun=main)
        return SessionReader(live, NoRelatedSessions(()))

    def _setting(self) -> ReadingOptions:
        source = self._source
        return ReadingOptions(
            source.now(),
            self._prices,
            ENTERPRISE,
            source.user_home,
            self._shared_spool(),
            source.store.marks.all(),
            self._owners,
            source.groups.current(),
            source.watching.recent_quota,
        )

    def _read(self, file: TranscriptFile, views: Views) -> LiveSession:
        try:
            live = LiveSession(file, self._setting(), self._archived(), views=views)
        except NotFound:
            raise self._absent(file.project_id, file.session_id or "") from None
        if live.is_empty:
            raise self._absent(file.project_id, file.session_id or "")
        return live

    def _tag(self, live: LiveSession, session: SessionReader) -> str:
        """A hash of all that a document depends on: lines, hooks, status, related sessions."""
        beside = written_at(os.path.dirname(session.path))
        state = msgspec.json.encode((live.version, len(live.hooks()), beside, session.info()))
        return blake2b(self._run + state, digest_size=12).hexdigest()

    def newest_project(self, session_id: str, project: str = "") -> str:
        """The project of a session: the given one, or that of the newest session with its id."""
        named = [row.project_id for row in self._scope.sessions(session_id)]
        for found in chain(named, self._unindexed_projects(session_id)):
            if project in ("", found):
                return found
        raise NotFound(_NOT_FOUND)

    def _unindexed_projects(self, session_id: str) -> Iterator[str]:
        """The same from files, which the index may not know yet."""
        if self._source.has_files:
            yield from (file.project_id for file in self._finder().named(session_id))

    def document(
        self, project_id: str, session_id: str, *, first: int = 0, limit: int | None = None
    ) -> SessionDocument:
        """A session's document, or a window of its chunks."""
        with self.session(project_id, session_id) as session:
            return session.document(first=first, limit=limit)

    def find(self, project_id: str, session_id: str) -> TranscriptFile:
        """A session's main transcript, or where it would be if only other files are there."""
        file = self._finder().find(project_id, session_id)
        if file is None:
            raise self._absent(project_id, session_id)
        return file

    def _absent(self, project_id: str, session_id: str) -> NotFound:
        """The error for a session of which there is nothing to read."""
        if is_forgotten_in(self._source.roots, project_id, session_id):
            return NotFound(_FORGOTTEN)
        is_known = any(row.project_id == project_id for row in self._scope.sessions(session_id))
        if not is_known:
            return NotFound(_NOT_FOUND)
        if self._source.has_files:
            return SessionDeleted(_DELETED)
        return SessionDeleted(self._source.withheld(project_id) or _NOT_SENT)

    def _finder(self) -> Finder:
        source = self._source
        return Finder(source.roots, self._shared_spool(), self._archived())

    def _archived(self) -> ArchivedSessions:
        now = self._source.now()
        if not 0 <= now - self._swept_at < _SWEPT_MS:
            self._swept = ArchivedSessions(Archive(self._source.store), self._source.roots)
            self._swept_at = now
        return self._swept

    def _shared_spool(self) -> _SharedSpoolEvents:
        """The spool's events; read again now and then, without what is archived by then."""
        now = self._source.now()
        with self._lock:
            if self._spooled is None or not 0 <= now - self._spooled[0] < _SPOOLED_MS:
                self._spooled = now, _SharedSpoolEvents(self._source)
            return self._spooled[1]


def _key(file: TranscriptFile) -> _Key:
    return file.path, stat_file(file.path) is not None
