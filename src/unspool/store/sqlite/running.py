"""A connection at work: changes that are whole, and questions that end in time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import apsw

from unspool.errors import StoreBusy

_TRIES = 12


@contextmanager
def deadline(connection: apsw.Connection, seconds: float) -> Iterator[Callable[[], bool]]:
    """Interrupt what is asked inside once the time is up; gives a way to ask whether it is."""
    end = monotonic() + seconds

    def is_late() -> bool:
        return monotonic() > end

    connection.set_progress_handler(is_late, 20_000)
    try:
        yield is_late
    finally:
        connection.set_progress_handler(None)


def compact(connection: apsw.Connection, path: Path) -> None:
    """Rewrite a database: no byte of what was deleted is left in its file or its log.

    StoreBusy if somebody reads for so long that the log cannot be emptied.
    """
    connection.execute("VACUUM")
    for _ in range(_TRIES):  # each waits for readers as long as any statement does
        is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() or (
            0,
            0,
            0,
        )
        if not is_busy:
            return
    raise StoreBusy(f"{path} is being read and cannot be compacted; try again")


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """All or nothing, and nobody else writes meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk ends the transaction by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
