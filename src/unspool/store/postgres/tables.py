"""Tables beside the sessions, which no owner sees as rows: one transaction for each question."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from unspool.store.postgres.database import Connection, Pool, Row, in_our_words, searchable

# Of a person who was erased only the number is left, in `person`, so that nobody gets it again.
IS_ERASED: Final = "(name IS NULL AND closed_at IS NOT NULL)"


class HubTable:
    """A pool of connections, for any thread."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        with in_our_words(), self._pool.connection() as connection, connection.transaction():
            yield connection


def ask(connection: Connection, statement: str, **values: Any) -> list[Row]:
    """All rows of a statement."""
    given = {name: searchable(value) for name, value in values.items()}
    return connection.execute(statement.encode(), given).fetchall()


def run(connection: Connection, statement: str, **values: Any) -> None:
    """A statement without rows."""
    given = {name: searchable(value) for name, value in values.items()}
    connection.execute(statement.encode(), given)
