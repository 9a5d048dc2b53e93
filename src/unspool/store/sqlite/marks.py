"""What the user decided about sessions: pinned, hidden, renamed; kept where no rebuild touches it.

`state.db` is a database of its own: any process may change it, not only the indexer.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Final

import apsw
import msgspec
from msgspec import UNSET, Struct, structs

from unspool.errors import SchemaTooNew, StoreCorrupt, StoreError, StoreFull
from unspool.json_depth import shallow
from unspool.model.api import Marks, MarksUpdate
from unspool.private_files import private_directory
from unspool.store.sqlite.connection import in_our_words
from unspool.store.sqlite.running import transaction
from unspool.store.terms import plain
from unspool.system.files import open_file, read_at, replace

STATE: Final = "state.db"
_OLD: Final = "marks.json"  # where 0.1 kept them
_VERSION: Final = 1
_TABLE: Final = """
    CREATE TABLE mark (
        project_id TEXT NOT NULL,
        session_id TEXT NOT NULL,
        pinned INTEGER NOT NULL,
        hidden INTEGER NOT NULL,
        title TEXT NOT NULL,
        PRIMARY KEY (project_id, session_id)
    ) STRICT, WITHOUT ROWID
"""
_ALL: Final = "SELECT project_id, session_id, pinned, hidden, title FROM mark"
_PUT: Final = "INSERT OR REPLACE INTO mark VALUES (?, ?, ?, ?, ?)"
_ADD: Final = "INSERT OR IGNORE INTO mark VALUES (?, ?, ?, ?, ?)"
_DROP: Final = "DELETE FROM mark WHERE (project_id, session_id) = (?, ?)"
_COUNTER: Final = 24  # where a database file has the number of its last change

Key = tuple[str, str]
Stamp = tuple[int, bytes]


class _Old(Struct, frozen=True):
    marks: list[Marks] = []


class MarkStore:
    """The marks of one home, from any thread; read again when another process changed them."""

    def __init__(self, home: Path) -> None:
        self._path, self._old = home / STATE, home / _OLD
        self._imported = self._old.with_suffix(".json.imported")
        self._lock = Lock()
        self._stamp: Stamp | None = None
        self._marks: dict[Key, Marks] = {}

    def all(self) -> dict[Key, Marks]:
        """Every mark, by project and session; not to be changed."""
        with self._lock:
            return self._read()

    def of(self, project_id: str, session_id: str) -> Marks:
        """What was decided about one session."""
        key = plain(project_id), plain(session_id)
        return self.all().get(key, Marks(project_id=key[0], session_id=key[1]))

    def stamp(self) -> Stamp | None:
        """Differs whenever any mark does."""
        with self._lock:
            self._read()
            return self._stamp

    def change(self, project_id: str, session_id: str, given: MarksUpdate) -> Marks:
        """Keep what is given of a decision; one that says nothing is dropped."""
        key = plain(project_id), plain(session_id)
        none = Marks(project_id=key[0], session_id=key[1])
        new = {name: value for name, value in structs.asdict(given).items() if value is not UNSET}
        if "title" in new:
            new["title"] = plain(new["title"])
        with self._lock, self._writing() as connection:
            ask = f"{_ALL} WHERE (project_id, session_id) = (?, ?)"
            row = connection.execute(ask, key).fetchone()
            marks = structs.replace(_marks(row) if row else none, **new)
            if marks == none:
                connection.execute(_DROP, key)
            else:
                connection.execute(_PUT, structs.astuple(marks))
        return marks

    def erase(self, names: Collection[Key]) -> None:
        """Take what was decided about some sessions out for good, also of what 0.1 left."""
        with suppress(OSError):
            self._imported.unlink(missing_ok=True)
        if not names or not self._path.exists():
            return
        with self._lock, self._writing() as connection:
            connection.executemany(_DROP, [(plain(one), plain(id)) for one, id in names])
        with self._lock, self._in_our_words():
            connection = self._open()
            try:
                connection.execute("VACUUM")
            finally:
                connection.close()

    def _read(self) -> dict[Key, Marks]:
        if self._old.exists():
            with suppress(StoreError), self._writing():
                pass  # takes them over
        stamp = self._stamped()
        if stamp != self._stamp:
            # A file that somebody broke is no reason not to show sessions.
            with suppress(StoreError):
                rows = self._rows() if stamp else []
                self._marks = {(one.project_id, one.session_id): one for one in rows}
                self._stamp = stamp
        return self._marks

    def _stamped(self) -> Stamp | None:
        try:
            file = open_file(self._path)
        except OSError:
            return None
        try:
            return os.fstat(file).st_ino, read_at(file, 4, _COUNTER)
        finally:
            os.close(file)

    def _rows(self) -> list[Marks]:
        with self._in_our_words():
            connection = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)
            try:
                connection.set_busy_timeout(5000)
                # One that was being made when the process died has nothing in it.
                is_made = connection.pragma("user_version")
                return [_marks(row) for row in connection.execute(_ALL)] if is_made else []
            finally:
                connection.close()

    @contextmanager
    def _writing(self) -> Iterator[apsw.Connection]:
        """One transaction, on the disk when it is over; what 0.1 kept is taken over first."""
        with self._in_our_words():
            connection = self._open()
            try:
                with transaction(connection):
                    is_taken_over = self._take_over(connection)
                    yield connection
            finally:
                connection.close()
        if is_taken_over:
            with suppress(OSError):
                replace(self._old, self._imported)

    @contextmanager
    def _in_our_words(self) -> Iterator[None]:
        try:
            with in_our_words(self._path):
                yield
        except StoreCorrupt as error:
            # No rebuild could bring it back.
            raise StoreCorrupt(f"{self._path} is damaged; move it away to start over") from error

    def _open(self) -> apsw.Connection:
        try:
            private_directory(self._path.parent)
            # Made by us, so that at no moment others may read it.
            os.close(open_file(self._path, os.O_RDWR | os.O_CREAT))
        except OSError as error:
            raise StoreFull(f"{self._path} cannot be written ({error.strerror})") from error
        connection = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.set_busy_timeout(5000)
        # With less, the deleted journal may come back after a power cut and undo the change.
        connection.execute("PRAGMA synchronous = EXTRA")
        version = int(connection.pragma("user_version"))
        if version > _VERSION:
            connection.close()
            raise SchemaTooNew(f"{STATE} has version {version}: install the newer unspool")
        return connection

    def _take_over(self, connection: apsw.Connection) -> bool:
        if not connection.pragma("user_version"):
            connection.execute(_TABLE)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        try:
            data = self._old.read_bytes()
        except OSError:
            return False
        with suppress(ValueError):  # somebody broke it: it is put aside as it is
            for one in msgspec.json.decode(shallow(data), type=_Old).marks:
                connection.execute(_ADD, structs.astuple(one))
        return True


def _marks(row: tuple[object, ...]) -> Marks:
    project, session, pinned, hidden, title = row
    return Marks(
        project_id=str(project),
        session_id=str(session),
        pinned=bool(pinned),
        hidden=bool(hidden),
        title=str(title),
    )
