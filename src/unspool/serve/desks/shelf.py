"""Sessions that are open: each behind a lock of its own, the least lately used put away."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import chain, count
from secrets import token_bytes
from threading import Lock
from typing import Any, Final

import msgspec
from msgspec import Struct

from unspool.derive.whole import Prices
from unspool.engine.archive import Archive
from unspool.engine.cache import DEFAULT_BUDGET, DataCache
from unspool.engine.finding import Finder
from unspool.engine.hooks import Spooled
from unspool.engine.index_scope import IndexScope
from unspool.engine.owners import Owners
from unspool.engine.reel import Reel
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
_NOBODY: Final = "There is no such session."
_GONE: Final = "Claude Code deleted this session before it was archived."


class _Seat:
    """One session's place: who reads it holds its lock."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.reel: Reel | None = None
        self.version = 0
        # Noted when it was last read: the cache weighs while others read.
        self.weight = 0
        self.kept: dict[Any, Any] = {}


class Held(Struct, frozen=True):
    """A session that is being read, and a word that changes when its document may."""

    session: SessionReader
    tag: str
    kept: dict[Any, Any]  # what its readers made of it, for as long as it is on the shelf


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
        self._seats: DataCache[tuple[str, bool], _Seat] = DataCache(budget)
        self._swept = Swept(Archive(around.store), around.roots)
        self._swept_at = around.now()
        self._spooled: tuple[int, _SharedSpool] | None = None
        self._versions, self._run = count(1), token_bytes(8)

    @contextmanager
    def session(self, project_id: str, session_id: str) -> Iterator[SessionReader]:
        """A session as it stands now, held while the block lasts."""
        with self._seated(project_id, session_id) as seat:
            yield self._view(seat)

    @contextmanager
    def held(self, project_id: str, session_id: str) -> Iterator[Held]:
        """The same, with a tag."""
        with self._seated(project_id, session_id) as seat:
            session = self._view(seat)
            yield Held(session, self._tag(seat, session), seat.kept)

    @contextmanager
    def _seated(self, project_id: str, session_id: str) -> Iterator[_Seat]:
        file = self.find(project_id, session_id)
        key = file.path, stat_file(file.path) is not None
        with self._lock:
            seat = self._seats.get(key) or _Seat()
            self._seats.put(key, seat)
        with seat.lock:
            self._read(seat, file)
            yield seat
            seat.weight = seat.reel.weight if seat.reel else 0
        with self._lock:
            self._seats.put(key, seat)

    def apart(self, project_id: str, session_id: str) -> SessionReader:
        """A session read again, for a long task: nobody has to wait for it."""
        return SessionReader(self._opened(self.find(project_id, session_id)), self._neighbours)

    def beginning(self, project_id: str, session_id: str, messages: int) -> SessionReader | None:
        """The first messages of a long session that nobody has read yet, without its agents.

        None where all of it is there already, or soon: reading a hundred megabytes takes seconds.
        """
        file = self.find(project_id, session_id)
        with self._lock:
            is_read = (file.path, True) in self._seats
        if is_read or file.size < _LONG or stat_file(file.path) is None:
            return None
        main = begun(file, messages, _BEGINNING)
        return (
            SessionReader(Reel(file, self._setting(), begun=main), NoRelatedSessions(()))
            if main
            else None
        )

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

    def _read(self, seat: _Seat, file: TranscriptFile) -> None:
        """Bring a session up to date; each change gives it a version nobody else has."""
        is_new = seat.reel is None
        if seat.reel is None:
            seat.reel = self._opened(file)
        if is_new or seat.reel.refresh(self._setting()):
            seat.version = next(self._versions)

    def _opened(self, file: TranscriptFile) -> Reel:
        try:
            reel = Reel(file, self._setting(), self._archived())
        except NotFound:
            raise self._absent(file.project_id, file.session_id or "") from None
        if reel.is_empty:
            raise NotFound(_NOBODY)
        return reel

    def _view(self, seat: _Seat) -> SessionReader:
        assert seat.reel is not None  # noqa: S101 - it was read a moment ago
        return SessionReader(seat.reel, self._neighbours)

    def _tag(self, seat: _Seat, session: SessionReader) -> str:
        """Made of all that a document is: lines, hooks, how it stands now, and its neighbours."""
        directory = os.path.dirname(session.path)
        beside = os.stat(directory).st_mtime_ns if os.path.isdir(directory) else 0
        hooks = len(seat.reel.hooks()) if seat.reel else 0
        stands = msgspec.json.encode((seat.version, hooks, beside, session.info()))
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
