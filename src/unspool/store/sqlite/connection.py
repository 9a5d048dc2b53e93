"""Home directory -> connections: pragmas, file modes, the one writer, and errors in our words."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

import apsw

from unspool.errors import StoreBusy, StoreCorrupt, StoreError, StoreFull
from unspool.store.sqlite.migrations import create
from unspool.store.terms import plain
from unspool.system.files import is_read_only, open_file

INDEX, RAW = "index.db", "raw.db"

Row: TypeAlias = tuple[Any, ...]
Prepare: TypeAlias = Callable[[apsw.Connection], None]

_ALWAYS = """
    PRAGMA foreign_keys = ON;
    PRAGMA mmap_size = 0;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA temp_store = MEMORY;
"""
# A power cut may undo the last commits; their checkpoints are undone with them.
_WRITER = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -32000;
    PRAGMA wal_autocheckpoint = 4000;
"""
LONGEST_LOG = 256 * 1024 * 1024  # four times what is kept of it
_READER = "PRAGMA query_only = ON; PRAGMA wal_autocheckpoint = 0;"

# Each has pages of the file in memory, and a crowd is soon gone.
_MOST_IDLE = 6

_FULL = (
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.IOError,
    apsw.PermissionsError,
)
_CORRUPT = (apsw.CorruptError, apsw.NotADBError)


@contextmanager
def in_our_words(path: Path) -> Iterator[None]:
    """Translate a database's error."""
    try:
        yield
    except _FULL as error:
        said = f"{path} cannot be used ({error}); check free space and write permission"
        raise StoreFull(said) from error
    except _CORRUPT as error:
        raise StoreCorrupt(f"{path} is damaged ({error}); `unspool index rebuild`") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusy(f"{path} is in use ({error}); try again") from error
    except apsw.Error as error:
        raise StoreError(f"{path}: {error}") from error


def open_writer(path: Path, *, as_it_is: bool = False) -> apsw.Connection:
    """The only connection of all processes that may write this file; take the lock first.

    `as_it_is` leaves the version alone, for an index that is about to be replaced.
    """
    try:
        path.parent.chmod(0o700)
        # Made by us, so that at no moment others may read it.
        os.close(open_file(path, os.O_RDWR | os.O_CREAT))
        with _connected(path, str(path), apsw.SQLITE_OPEN_READWRITE) as connection:
            connection.execute(_ALWAYS + _WRITER).fetchall()
            if not as_it_is or not connection.pragma("user_version"):
                create(connection, path.name)
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            with suppress(FileNotFoundError):
                path.with_name(name).chmod(0o600)
    except OSError as error:
        raise StoreFull(f"{path} cannot be written ({error.strerror})") from error
    return connection


def open_reader(path: Path) -> apsw.Connection:
    """A connection that cannot write; where there is nothing in the file yet, one in memory."""
    if not path.exists():
        return _nothing(path)
    name, flags = str(path), apsw.SQLITE_OPEN_READONLY
    if _is_frozen(path):
        # Nobody at all can write there, and without a log SQLite would want to make one.
        name, flags = f"{path.absolute().as_uri()}?immutable=1", flags | apsw.SQLITE_OPEN_URI
    with _connected(path, name, flags) as connection:
        connection.execute(_ALWAYS + _READER).fetchall()
        made = connection.execute("SELECT count(*) FROM sqlite_schema").get
        version = connection.pragma("user_version")
    if version:
        return connection
    connection.close()
    if made:
        raise StoreError(
            f"{path} belongs to another program: move it away, or set another UNSPOOL_HOME"
        )
    return _nothing(path)


def log_trouble(path: Path) -> str:
    """What it means that a database's log is much longer than it should be; '' if it is not."""
    try:
        size = path.with_name(f"{path.name}-wal").stat().st_size
    except OSError:
        return ""
    if size <= LONGEST_LOG:
        return ""
    return (
        f"{path.name}-wal has grown to {size // 1024**2} MiB, because a program has had"
        f" {path.name} open for reading for a long time. It shrinks when that program exits."
    )


def _nothing(path: Path) -> apsw.Connection:
    empty = apsw.Connection(":memory:")
    create(empty, path.name)
    return empty


@contextmanager
def _connected(path: Path, name: str, flags: int) -> Iterator[apsw.Connection]:
    """A new connection, closed again if it cannot be set up."""
    with in_our_words(path):
        connection = apsw.Connection(name, flags=flags)
        try:
            connection.set_busy_timeout(5000)
            yield connection
        except BaseException:
            connection.close()
            raise


def _is_frozen(path: Path) -> bool:
    """Whether a file lies on a file system that is mounted to be read, with no log beside it."""
    return not path.with_name(f"{path.name}-wal").exists() and is_read_only(path)


class ReaderPool:
    """Connections for whichever thread asks, each in one hand at a time.

    A rebuilt index is another file under the same name, so an idle connection that has an older
    file open is let go.
    """

    def __init__(self, path: Path, prepare: Prepare) -> None:
        self.path, self._prepare = path, prepare
        self._idle: list[tuple[int, apsw.Connection]] = []
        self._lock = Lock()

    @contextmanager
    def take(self) -> Iterator[apsw.Connection]:
        """Borrow a connection; errors come in our words."""
        inode, connection = self._pick()
        try:
            with in_our_words(self.path):
                yield connection
        finally:
            self._put_back(inode, connection)

    def _put_back(self, inode: int, connection: apsw.Connection) -> None:
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append((inode, connection))
                return
        connection.close()

    def _pick(self) -> tuple[int, apsw.Connection]:
        inode = _inode(self.path)
        with self._lock:
            while self._idle:
                known, connection = self._idle.pop()
                if known == inode:
                    return inode, connection
                connection.close()
        return self._opened()

    def _opened(self) -> tuple[int, apsw.Connection]:
        """Opening takes the file first and its log later: both must be of one time."""
        while True:
            inode = _inode(self.path)
            connection = open_reader(self.path)
            if _inode(self.path) == inode:
                self._prepare(connection)
                # One in memory is of no file: the next who asks looks again.
                return inode if connection.filename else 0, connection
            connection.close()

    def every(self, ask: str, values: Row = ()) -> list[Row]:
        """All rows of one question."""
        with self.take() as connection:
            return connection.execute(ask, _plain(values)).fetchall()

    def first(self, ask: str, values: Row = ()) -> Row | None:
        """The first row of one question."""
        with self.take() as connection:
            return connection.execute(ask, _plain(values)).fetchone()

    def close(self) -> None:
        """Let go of every idle connection."""
        with self._lock:
            while self._idle:
                self._idle.pop()[1].close()


def _plain(values: Row) -> Row:
    return tuple(plain(value) if isinstance(value, str) else value for value in values)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
