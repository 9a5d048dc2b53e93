"""What was asked besides words -> the lines that have the words and fit that too."""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

import apsw

from unspool.model.query import TextQuery
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.finding.matching import Matching
from unspool.store.sqlite.finding.ranges import Range
from unspool.store.sqlite.writing.texts import mark

LISTED = "(SELECT value FROM json_each(?))"
_LINE = "CROSS JOIN line AS l ON l.id = {}.rowid"
_SOURCE = "CROSS JOIN source AS s ON s.id = l.source"

Condition: TypeAlias = tuple[str, list[int | str]]


class Fitting:
    """Words drive; everything else is asked of the lines that have them."""

    def __init__(
        self,
        connection: apsw.Connection,
        query: TextQuery,
        matching: Matching,
        until: int | None,
        sources: Collection[int] | None,
    ) -> None:
        self._run, self._query, self._matching = connection.execute, query, matching
        self._sources = sources
        self._conditions = [*self._times(until), *self._kinds()]

    @property
    def is_choosy(self) -> bool:
        """Whether having the words is not enough."""
        return bool(self._conditions or self._sources)

    def _times(self, until: int | None) -> Iterator[Condition]:
        if self._query.since is not None:
            yield "l.at >= ?", [self._query.since]
        if until is not None:
            yield "l.at <= ?", [until]

    def _kinds(self) -> Iterator[Condition]:
        if self._query.kinds:
            marks = ", ".join("?" * len(self._query.kinds))
            ask = f"SELECT id FROM kind WHERE text_kind IN ({marks})"  # noqa: S608
            found: list[Row] = self._run(ask, self._query.kinds).fetchall()
            yield f"l.kind IN ({', '.join(str(id) for (id,) in found)})", []

    def listed(self, numbers: list[int], columns: str) -> list[Row]:
        """Of the lines with these numbers, those that fit."""
        if not numbers:
            return []
        listed: Condition = f"l.id IN {LISTED}", [str(numbers)]
        return self._fitting(columns, f"line AS l {_SOURCE}", [listed])

    def within(self, table: str, ranges: Sequence[Range], columns: str) -> list[Row]:
        """Of the lines in some ranges that have the words, those that fit."""
        joins = _LINE.format(table) if "l." in columns or self.is_choosy else ""
        return self._fitting(columns, f"{table} {joins}", [self.words(table, r) for r in ranges])

    def _fitting(self, columns: str, tables: str, parts: Sequence[Condition]) -> list[Row]:
        given = " ".join(f"AND {condition}" for condition, _ in self._conditions)
        values = [value for _, some in self._conditions for value in some]
        chosen = ", l.source" if self._sources is not None else ""
        rows: list[Row] = []
        for where, which in parts:
            ask = f"SELECT {columns}{chosen} FROM {tables} WHERE {where} {given}"  # noqa: S608
            rows += self._run(ask, (*which, *values)).fetchall()
        sources = self._sources
        return rows if sources is None else [row[:-1] for row in rows if row[-1] in sources]

    def words(self, table: str, numbers: Range) -> Condition:
        """What a line must be to have the words and a number in a range."""
        expression = self.expression(table)
        where = f"{table}.rowid BETWEEN ? AND ?"
        if not expression:
            return where, [*numbers]
        return f"{table} MATCH ? AND {where}", [expression, *numbers]

    def expression(self, table: str) -> str:
        """What an index is asked for; the kind too, where it has it: else lines are, one by one."""
        words = self._matching.expressions[table]
        kinds = [] if table == "output" else [f'"{mark(kind)}"' for kind in self._query.kinds]
        return " AND ".join(f"({part})" for part in (words, " OR ".join(kinds)) if part)
