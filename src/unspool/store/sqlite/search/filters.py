"""What a search asks for besides terms: project, session, kinds and times."""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

import apsw

from unspool.model.query import TextQuery
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.search.matching import TermMatcher
from unspool.store.sqlite.search.ranges import Range, join
from unspool.store.sqlite.totals import in_projects
from unspool.store.sqlite.writing.texts import mark
from unspool.store.terms import plain

LISTED = "(SELECT value FROM json_each(?))"
_LINE = "CROSS JOIN line AS l ON l.id = {}.rowid"
_SOURCE = "CROSS JOIN source AS s ON s.id = l.source"

# Up to this many lines of other sessions between two of a session's are looked at too.
_NEAR = 64
_SOURCES = """
    SELECT s.id, s.first_line, s.last_line
    FROM session AS e CROSS JOIN source AS s ON s.session = e.id
    WHERE {} AND s.first_line IS NOT NULL AND NOT s.superseded
    ORDER BY s.first_line
"""
# The first two conditions use the index, the third decides.
_OF_SESSION = (
    "e.session_id >= ? AND e.session_id < ? || char(0x10ffff) AND instr(e.session_id, ?) = 1"
)

Condition: TypeAlias = tuple[str, list[int | str]]


def select_sources(
    connection: apsw.Connection, query: TextQuery
) -> tuple[frozenset[int], list[Range]]:
    """The files of a session or project, and ranges that have all of their lines."""
    session = plain(query.session)
    of_projects, values = in_projects(query.projects)
    conditions = [of_projects] + [_OF_SESSION] * bool(session)
    values = *values, *[session] * 3 * bool(session)
    ask = _SOURCES.format(" AND ".join(conditions))
    rows: list[Row] = connection.execute(ask, values).fetchall()
    spans = join((Range(first, last) for _, first, last in rows), _NEAR)
    return frozenset(id for id, *_ in rows), spans


class LineFilter:
    """Reads the lines that match the terms and pass the other conditions.

    Terms come first; the rest is checked on the lines that match them.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        query: TextQuery,
        matcher: TermMatcher,
        until: int | None,
        sources: Collection[int] | None,
    ) -> None:
        self._run, self._query, self._matcher = connection.execute, query, matcher
        self._sources = sources
        self._conditions = [*self._times(until), *self._kinds()]

    @property
    def is_selective(self) -> bool:
        """Whether there is any condition besides the terms."""
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
            rows: list[Row] = self._run(ask, self._query.kinds).fetchall()
            yield f"l.kind IN ({', '.join(str(id) for (id,) in rows)})", []

    def by_number(self, numbers: list[int], columns: str) -> list[Row]:
        """Columns of the lines with these numbers that pass."""
        if not numbers:
            return []
        listed: Condition = f"l.id IN {LISTED}", [str(numbers)]
        return self._rows(columns, f"line AS l {_SOURCE}", [listed])

    def in_ranges(
        self, table: str, ranges: Sequence[Range], columns: str, grouped: str = ""
    ) -> list[Row]:
        """Columns of the lines in some ranges that match the terms and pass."""
        joins = _LINE.format(table) if "l." in columns or self.is_selective else ""
        parts = [self.match(table, each) for each in ranges]
        return self._rows(columns, f"{table} {joins}", parts, grouped)

    def _rows(
        self, columns: str, tables: str, parts: Sequence[Condition], grouped: str = ""
    ) -> list[Row]:
        conditions = " ".join(f"AND {condition}" for condition, _ in self._conditions)
        values = [value for _, some in self._conditions for value in some]
        source = ", l.source" if self._sources is not None else ""
        rows: list[Row] = []
        for where, which in parts:
            asked = f"{where} {conditions} {grouped}"
            ask = f"SELECT {columns}{source} FROM {tables} WHERE {asked}"  # noqa: S608
            rows += self._run(ask, (*which, *values)).fetchall()
        sources = self._sources
        return rows if sources is None else [row[:-1] for row in rows if row[-1] in sources]

    def match(self, table: str, numbers: Range) -> Condition:
        """The condition for lines in a range that match the terms."""
        expression = self.expression(table)
        where = f"{table}.rowid BETWEEN ? AND ?"
        if not expression:
            return where, [*numbers]
        return f"{table} MATCH ? AND {where}", [expression, *numbers]

    def expression(self, table: str) -> str:
        """What to ask an index for. `said` has the kind of each line as a word of its own."""
        terms = self._matcher.expressions[table]
        kinds = [] if table == "output" else [f'"{mark(kind)}"' for kind in self._query.kinds]
        return " AND ".join(f"({part})" for part in (terms, " OR ".join(kinds)) if part)
