"""A pool of connections -> questions and transactions, for the owners that may be seen."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import psycopg
from psycopg import errors
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from unspool.errors import StoreBusy, StoreCorrupt, StoreError, StoreFull
from unspool.store.cleaning import sendable

Row: TypeAlias = tuple[Any, ...]
Connection: TypeAlias = psycopg.Connection[Row]
Pool: TypeAlias = ConnectionPool[Connection]

SCHEMA = "unspool"
# Seconds to wait for a connection before saying that the database does not answer.
_PATIENCE = 30.0

_FULL = (
    errors.DiskFull,
    errors.InsufficientPrivilege,
    errors.ReadOnlySqlTransaction,
)
_BUSY = (
    errors.LockNotAvailable,
    errors.DeadlockDetected,
    errors.SerializationFailure,
    errors.QueryCanceled,
    errors.TooManyConnections,
)
_CORRUPT = (errors.DataCorrupted, errors.IndexCorrupted)


class _Integral(Loader):
    """Every `numeric` of ours is a whole number: sums of tokens and picodollars."""

    def load(self, data: Buffer) -> int:
        return int(bytes(data))


def open_pool(url: str, size: int = 8) -> Pool:
    """Connections for any number of stores of one database; each statement is its own transaction
    unless somebody begins one.
    """
    pool: Pool = ConnectionPool(
        url,
        connection_class=psycopg.Connection[Row],
        kwargs={"autocommit": True},
        configure=_set_up,
        min_size=1,
        max_size=size,
        timeout=_PATIENCE,
        num_workers=1,
        open=False,
    )
    with in_our_words():
        try:
            pool.open(wait=True, timeout=_PATIENCE)
        except BaseException:
            pool.close()
            raise
    return pool


def _set_up(connection: Connection) -> None:
    connection.adapters.register_loader("numeric", _Integral)
    connection.execute(f"SET search_path = {SCHEMA}".encode())
    connection.execute(b"SET work_mem = '32MB'")  # the hours of a year are added up without files


@contextmanager
def in_our_words() -> Iterator[None]:
    """Translate an error of the database."""
    try:
        yield
    except _FULL as error:
        raise StoreFull(f"PostgreSQL cannot write ({_gist(error)}); nothing was written") from error
    except _CORRUPT as error:
        raise StoreCorrupt(f"PostgreSQL found damaged data ({_gist(error)})") from error
    except (*_BUSY, PoolTimeout) as error:
        raise StoreBusy(f"PostgreSQL is busy ({_gist(error)}); try again") from error
    except PoolClosed as error:
        raise StoreError("The store was closed") from error
    except psycopg.Error as error:
        raise StoreError(f"PostgreSQL: {_gist(error)}") from error


def _gist(error: psycopg.Error) -> str:
    """What an error is, without its details and its context: these repeat rows, of anybody."""
    if error.diag.message_primary:
        return f"{error.diag.message_primary}, {error.sqlstate}"
    # It did not come from the server: only that a connection cannot be had is said in full.
    return str(error) if isinstance(error, psycopg.OperationalError) else type(error).__name__


class Database:
    """What every part of a store shares: the pool, whose rows are written, whose may be read.

    A statement that reads says `owner = ANY(%(visible)s)`: every question has that value. A list
    may be changed by the caller.
    """

    def __init__(self, pool: Pool, owner: int, machine: int, visible: Sequence[int]) -> None:
        self.pool, self.owner, self.machine = pool, owner, machine
        self.visible = visible if isinstance(visible, list) else list(visible)

    def every(self, ask: str, **values: Any) -> list[Row]:
        """All rows of one question."""
        with self.connected() as connection:
            return self.ask(connection, ask, **values)

    def first(self, ask: str, **values: Any) -> Row | None:
        """The first row of one question."""
        return next(iter(self.every(ask, **values)), None)

    def ask(self, connection: Connection, ask: str, **values: Any) -> list[Row]:
        """The same on a connection that one has already."""
        given = {name: searchable(value) for name, value in values.items()}
        return connection.execute(ask.encode(), {**given, "visible": self.visible}).fetchall()

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Borrow a connection; errors come in our words."""
        with in_our_words(), self.pool.connection() as connection:
            yield connection

    @contextmanager
    def moment(self) -> Iterator[Connection]:
        """Every question within sees the database as it is at one moment."""
        with self.connected() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield connection


def searchable(value: Any) -> Any:
    """A value to ask for: text that PostgreSQL takes, in lists, too."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [searchable(one) for one in value]
    return value
