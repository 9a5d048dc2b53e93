"""Sessions that are open: each behind a lock of its own, the least lately used put away."""

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
from unspool.engine.archive import Archive
from unspool.engine.cache import DEFAULT_BUDGET, DataCache
from unspool.engine.finding import Finder
from unspool.engine.hooks import Spooled
from unspool.engine.index_scope import IndexScope
from unspool.engine.live_session import LiveSession
from unspool.engine.owners import Owners
from unspool.engine.related import NoRelatedSessions, SharedRelatedSessions
from unspool.engine.session import SessionReader
from unspool.engine.setting import ENTERPRISE, Setting
from unspool.engine.swept import Swept
from unspool.engine.transcript import begun
from unspool.errors import NotFound
from unspool.model.document import SessionDocument
from unspool.model.files import TranscriptFile
from unspool.model.hooks import HookEvent
from unspool.serve.desks.around import Around
from unspool.serve.problems import Gone
from unspool.source.files import stat_file

# How long what the archive says of swept files is good for.
_SWEPT_MS: Final = 2_000
_SPOOLED_MS: Final = 10_000
# A session that takes long to read, and how much of it is read at once.
_LONG: Final = 16 * 1024 * 1024
_BEGINNING: Final = 8 * 1024 * 1024
# Where its main transcript is, and whether it is still there.
_Key: TypeAlias = tuple[str, bool]
_NOBODY: Final = "There is no such session."
_GONE: Final = "Claude Code deleted this session before it was archived."


class Held(Struct, frozen=True):
    """A session that is being read, and a word that changes when its document may."""

    session: SessionReader
    tag: str
    memo: dict[Any, Any]  # what pages made of it, for as long as it is open


class _SharedSpool(Spooled):
    def __init__(self, around: Around) -> None:
        super().__init__(around.spool, around.roots, Archive(around.store))
        self._lock = Lock()

    def of(self, project_id: str, session_id: str) -> list[HookEvent]:
        with self._lock:
            return super().of(project_id, session_id)

    def names(self, *, archived: bool = True) -> set[tuple[str, str]]:
        with self._lock:
            return super().names(archived=archived)


class Shelf:
    """Opens sessions by id. No path is ever made of what was asked: names are looked up."""

    def __init__(
        self, around: Around, scope: IndexScope | None = None, budget: int = DEFAULT_BUDGET
    ) -> None:
        self._around = around
        self._scope = scope or IndexScope(around.store, around.roots, around.home)
        self._prices = Prices(around.prices, "billing")
        self._neighbours = SharedRelatedSessions(around.roots)
        self._owners = Owners(around.roots, around.store)
        self._lock = Lock()
        self._open: DataCache[_Key, LiveSession] = DataCache(budget)
        # All that this process reads, whether a page is open or only the board shows it.
        self._live: WeakValueDictionary[_Key, LiveSession] = WeakValueDictionary()
        self._openings: dict[_Key, Lock] = {}
        self._swept = Swept(Archive(around.store), around.roots)
        self._swept_at = around.now()
        self._spooled: tuple[int, _SharedSpool] | None = None
        self._run = token_bytes(8)

    @contextmanager
    def session(self, project_id: str, session_id: str) -> Iterator[SessionReader]:
        """A session as it stands now, held while the block lasts."""
        with self._opened(project_id, session_id) as live:
            yield SessionReader(live, self._neighbours)

    @contextmanager
    def held(self, project_id: str, session_id: str) -> Iterator[Held]:
        """The same, with a tag."""
        with self._opened(project_id, session_id) as live:
            session = SessionReader(live, self._neighbours)
            yield Held(session, self._tag(live, session), live.memo)

    @contextmanager
    def _opened(self, project_id: str, session_id: str) -> Iterator[LiveSession]:
        file = self.find(project_id, session_id)
        live = self._shared(file, Views.PAGE)
        with live.lock:
            setting = self._setting()
            live.read_story(setting)
            live.refresh(setting)
            if live.is_empty:
                raise NotFound(_NOBODY)
            yield live
        with self._lock:
            evicted = self._open.put(_key(file), live)
        for one in evicted:
            if one.lock.acquire(blocking=False):  # else somebody reads it, and puts it back
                one.drop_story()
                one.lock.release()

    def for_board(self, file: TranscriptFile) -> LiveSession:
        """A session that the board shows; where no page is open, without its story."""
        return self._shared(file, Views.USAGE)

    def _shared(self, file: TranscriptFile, views: Views) -> LiveSession:
        """A session that is read already, or else read now, by one thread."""
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

    def apart(self, project_id: str, session_id: str) -> SessionReader:
        """A session read again, for a long task: nobody has to wait for it."""
        file = self.find(project_id, session_id)
        return SessionReader(self._read(file, Views.PAGE), self._neighbours)

    def beginning(self, project_id: str, session_id: str, messages: int) -> SessionReader | None:
        """The first messages of a long session that nobody has read yet, without its agents.

        None where all of it is there already, or soon: reading a hundred megabytes takes seconds.
        """
        file = self.find(project_id, session_id)
        with self._lock:
            live = self._live.get((file.path, True))
            is_read = live is not None and live.has_story
        if is_read or file.size < _LONG or stat_file(file.path) is None:
            return None
        main = begun(file, messages, _BEGINNING)
        if main is None:
            return None
        live = LiveSession(file, self._setting(), begun=main)
        return SessionReader(live, NoRelatedSessions(()))

    def _setting(self) -> Setting:
        around = self._around
        return Setting(
            around.now(),
            self._prices,
            ENTERPRISE,
            around.user_home,
            self._shared_spool(),
            around.store.marks.all(),
            self._owners,
        )

    def _read(self, file: TranscriptFile, views: Views) -> LiveSession:
        try:
            live = LiveSession(file, self._setting(), self._archived(), views=views)
        except NotFound:
            raise self._absent(file.project_id, file.session_id or "") from None
        if live.is_empty:
            raise NotFound(_NOBODY)
        return live

    def _tag(self, live: LiveSession, session: SessionReader) -> str:
        """Made of all that a document is: lines, hooks, how it stands now, and its neighbours."""
        directory = os.path.dirname(session.path)
        beside = os.stat(directory).st_mtime_ns if os.path.isdir(directory) else 0
        stands = msgspec.json.encode((live.version, len(live.hooks()), beside, session.info()))
        return blake2b(self._run + stands, digest_size=12).hexdigest()

    def newest(self, session_id: str, project: str = "") -> str:
        """The project of a session: the one that is chosen, or else the newest of its id."""
        named = [row.project_id for row in self._scope.sessions(session_id)]
        for found in chain(named, (file.project_id for file in self._finder().named(session_id))):
            if project in ("", found):
                return found
        raise NotFound(_NOBODY)

    def document(
        self, project_id: str, session_id: str, *, first: int = 0, limit: int | None = None
    ) -> SessionDocument:
        """A session's document, or a window of its chunks."""
        with self.session(project_id, session_id) as session:
            return session.document(first=first, limit=limit)

    def find(self, project_id: str, session_id: str) -> TranscriptFile:
        """A session's main transcript, or where it would lie if anything else tells of it."""
        file = self._finder().find(project_id, session_id)
        if file is None:
            raise self._absent(project_id, session_id)
        return file

    def _absent(self, project_id: str, session_id: str) -> NotFound:
        """What to say of a session of which there is nothing to read."""
        is_known = any(row.project_id == project_id for row in self._scope.sessions(session_id))
        return Gone(_GONE) if is_known else NotFound(_NOBODY)

    def _finder(self) -> Finder:
        around = self._around
        return Finder(around.roots, self._shared_spool(), self._archived())

    def _archived(self) -> Swept:
        now = self._around.now()
        if not 0 <= now - self._swept_at < _SWEPT_MS:
            self._swept = Swept(Archive(self._around.store), self._around.roots)
            self._swept_at = now
        return self._swept

    def _shared_spool(self) -> _SharedSpool:
        """What it has read it keeps: now and then it begins again with what is not archived."""
        now = self._around.now()
        with self._lock:
            if self._spooled is None or not 0 <= now - self._spooled[0] < _SPOOLED_MS:
                self._spooled = now, _SharedSpool(self._around)
            return self._spooled[1]


def _key(file: TranscriptFile) -> _Key:
    return file.path, stat_file(file.path) is not None
