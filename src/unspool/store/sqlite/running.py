"""A connection at work: changes that are whole, and questions that end in time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import apsw


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
