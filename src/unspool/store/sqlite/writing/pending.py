"""Rows that wait -> their tables: those of one statement in one go, which costs least."""

from collections.abc import Iterable

import apsw

from unspool.store.sqlite.connection import Row


class PendingWrites:
    """What a transaction has still to write; who reads what may lie here writes it first."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._run = connection.executemany
        self._rows: dict[str, list[Row]] = {}

    def add(self, statement: str, row: Row) -> None:
        """Add a row for a statement; those of different statements must not need an order."""
        if statement in self._rows:
            self._rows[statement].append(row)
        else:
            self._rows[statement] = [row]

    def extend(self, statement: str, rows: Iterable[Row]) -> None:
        """Add many."""
        waiting = self._rows.setdefault(statement, [])
        waiting += rows

    def write(self) -> None:
        """Write all of it."""
        for statement, rows in self._rows.items():
            self._run(statement, rows)
        self._rows.clear()

    def forget(self) -> None:
        """Drop all of it."""
        self._rows.clear()
