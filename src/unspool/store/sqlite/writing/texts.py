"""Texts of lines -> the full-text indexes, under the numbers of their lines."""

from collections.abc import Iterable
from typing import get_args

import apsw

from unspool.model.rows import TextKind
from unspool.store.sqlite.writing.pending import PendingWrites

OUTPUT: TextKind = "tool_result"
TABLES = ("said", "output")
_PUT, _PUT_OUTPUT = (f"INSERT INTO {table} (rowid, body) VALUES (?, ?)" for table in TABLES)  # noqa: S608


def mark(kind: TextKind) -> str:
    """A word besides those of a text that is said: of which kind it is, begun as nobody begins."""
    return "\ue000" + kind.replace("_", "")


MARKS = frozenset(map(mark, get_args(TextKind)))


class Texts:
    """The text of one transaction; its numbers only grow, as FTS5 likes it."""

    def __init__(self, connection: apsw.Connection, pending: PendingWrites) -> None:
        self._connection, self._pending = connection, pending

    def add(self, said: Iterable[tuple[int, str]], output: Iterable[tuple[int, str]]) -> None:
        """Write numbers and texts."""
        self._pending.extend(_PUT, said)
        self._pending.extend(_PUT_OUTPUT, output)

    def drop(self, source: int, begins: int = 0) -> None:
        """Make the lines of one source unfindable, from an offset on."""
        for table in TABLES:
            self._connection.execute(
                f"DELETE FROM {table} WHERE rowid IN"  # noqa: S608
                ' (SELECT id FROM line WHERE source = ? AND "offset" >= ?)',
                (source, begins),
            )
