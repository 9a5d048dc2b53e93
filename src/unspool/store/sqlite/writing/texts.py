"""Texts of lines -> the full-text indexes, under the numbers of their lines."""

from collections.abc import Iterable

import apsw

from unspool.model.rows import TextKind
from unspool.store.sqlite.connection import Row

OUTPUT: TextKind = "tool_result"
TABLES = ("said", "output")
_BLOCK = 2048
_DAY = 86_400_000


class Texts:
    """The text of one transaction, written at its end in one go."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._waiting: dict[str, list[tuple[int, str]]] = {table: [] for table in TABLES}

    def add(self, said: Iterable[tuple[int, str]], output: Iterable[tuple[int, str]]) -> None:
        """Keep numbers and texts for the next write."""
        self._waiting["said"] += said
        self._waiting["output"] += output

    def forget(self) -> None:
        """Drop what waits."""
        for waiting in self._waiting.values():
            waiting.clear()

    def write(self) -> None:
        """Index what waits; its numbers only grow, as FTS5 likes it."""
        for table, waiting in self._waiting.items():
            put = f"INSERT INTO {table} (rowid, body) VALUES (?, ?)"  # noqa: S608
            self._connection.executemany(put, waiting)
        self.forget()

    def drop(self, source: int, begins: int = 0) -> None:
        """Make the lines of one source unfindable, from an offset on."""
        self.write()
        for table in TABLES:
            self._connection.execute(
                f"DELETE FROM {table} WHERE rowid IN"  # noqa: S608
                ' (SELECT id FROM line WHERE source = ? AND "offset" >= ?)',
                (source, begins),
            )


def note_times(connection: apsw.Connection, first: int, times: list[int]) -> None:
    """Remember when a run of new lines was written, in blocks that are soon looked through."""
    for start in range(0, len(times), _BLOCK):
        part = times[start : start + _BLOCK]
        _note_block(connection, first + start, first + start + len(part) - 1, min(part), max(part))


def _note_block(
    connection: apsw.Connection, first: int, last: int, oldest: int, newest: int
) -> None:
    """Lines that came just before and are of the same time make one block with these."""
    ask = "SELECT first, oldest, newest FROM block ORDER BY first DESC LIMIT 1"
    found: list[Row] = connection.execute(ask).fetchall()
    for began, older, newer in found:
        span = max(newest, newer) - min(oldest, older)
        if last - began < _BLOCK and span <= max(newest - oldest, newer - older) + _DAY:
            change = "UPDATE block SET last = ?, oldest = ?, newest = ? WHERE first = ?"
            times = min(oldest, older), max(newest, newer)
            connection.execute(change, (last, *times, began))
            return
    connection.execute("INSERT INTO block VALUES (?, ?, ?, ?)", (first, last, oldest, newest))
