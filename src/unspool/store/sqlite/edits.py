"""Files that calls have edited, the newest edit first, and the lines of those calls."""

import json
from collections.abc import Iterator
from heapq import heapify, heappop

import apsw

from unspool.model.edits import EditLine, EditQuery, FileEdits
from unspool.store.contract import EDIT_TOOLS
from unspool.store.sqlite.connection import ReaderPool, Row
from unspool.store.sqlite.totals import in_projects
from unspool.store.terms import plain

_TOOLS = "(SELECT id FROM word WHERE text IN (SELECT value FROM json_each(?)))"
_BLOCKS = "SELECT first, last, newest FROM block WHERE oldest <= ? ORDER BY newest DESC"
_TOUCHED = f"""
    SELECT -l.at, -t.line, t.path FROM touched AS t CROSS JOIN line AS l ON l.id = t.line
    WHERE t.line BETWEEN ? AND ? AND l.at <= ? AND t.tool IN {_TOOLS}
"""  # noqa: S608
_PATHS = f"""
    SELECT w.id FROM word AS w WHERE instr(lower(w.text), ?)
    AND EXISTS (SELECT 1 FROM touched AS t WHERE t.path = w.id AND t.tool IN {_TOOLS})
"""  # noqa: S608
_FROM = f"""
    FROM touched AS t CROSS JOIN line AS l ON l.id = t.line JOIN source AS s ON s.id = l.source
    JOIN session AS e ON e.id = s.session JOIN word AS p ON p.id = t.path
    WHERE t.path = {{}} AND t.tool IN {_TOOLS} AND NOT s.superseded AND {{}}
"""
_SUMS = "SELECT p.text, count(*), count(DISTINCT s.session), max(l.at)"
_EDITS = """
    SELECT p.text, w.text, s.source_id, s.generation, l."offset", l.length, e.project_id,
        e.session_id, coalesce(nullif(k.agent_id, ''), s.agent_id), e.cwd, e.title, l.at
"""
_PATH_ID = "(SELECT id FROM word WHERE text = ?)"
_FOREVER = 2**62


class EditReader:
    """Asks read-only connections."""

    def __init__(self, readers: ReaderPool) -> None:
        self._readers, self._tools = readers, json.dumps(EDIT_TOOLS)

    def files(self, query: EditQuery) -> list[FileEdits]:
        """A page of files. Without a part of a path, no more is read than is shown."""
        with self._readers.take() as connection:
            found = self._named if query.path else self._newest
            return list(found(connection, query))

    def edits(self, path: str, query: EditQuery) -> list[EditLine]:
        """The edits of one file, newest first."""
        where, values = self._asked(query)
        ask = _EDITS + _FROM.format(_PATH_ID, where).replace(
            "JOIN word AS p",
            "JOIN word AS w ON w.id = t.tool JOIN kind AS k ON k.id = l.kind\nJOIN word AS p",
        )
        order = 'ORDER BY l.at DESC, s.source_id DESC, l."offset" DESC LIMIT ?'
        with self._readers.take() as connection:
            rows: list[Row] = connection.execute(
                f"{ask} {order}", (plain(path), self._tools, *values, query.limit)
            ).fetchall()
        return [_edit_line(row) for row in rows]

    def _asked(self, query: EditQuery) -> tuple[str, Row]:
        where, values = in_projects(query.projects)
        if query.roots:
            where += " AND s.root IN (SELECT value FROM json_each(?))"
            values = *values, json.dumps(query.roots)
        return where, values

    def _newest(self, connection: apsw.Connection, query: EditQuery) -> Iterator[FileEdits]:
        """A file comes where its newest edit does: earlier pages need not be known."""
        given = 0
        known = dict[int, FileEdits | None]()
        for at, path in self._walk(connection, query.after[0] if query.after else _FOREVER):
            if given == query.limit:
                return
            if path not in known:
                known[path] = self._file(connection, path, query)
            file = known[path]
            # Its newest edit may be of another project: then it comes further back.
            if file is not None and file.newest == at and _is_after(file, query):
                known[path] = None
                given += 1
                yield file

    def _walk(self, connection: apsw.Connection, until: int) -> Iterator[tuple[int, int]]:
        """Time and path of edits, newest first."""
        waiting: list[Row] = []
        for first, last, newest in connection.execute(_BLOCKS, (until,)).fetchall():
            while waiting and -waiting[0][0] > newest:
                at, _, path = heappop(waiting)
                yield -at, path
            waiting += connection.execute(_TOUCHED, (first, last, until, self._tools))
            heapify(waiting)
        while waiting:
            at, _, path = heappop(waiting)
            yield -at, path

    def _named(self, connection: apsw.Connection, query: EditQuery) -> list[FileEdits]:
        part = plain(query.path).lower()
        paths: list[Row] = connection.execute(_PATHS, (part, self._tools)).fetchall()
        files = [self._file(connection, path, query) for (path,) in paths]
        found = [file for file in files if file is not None and _is_after(file, query)]
        found.sort(key=lambda file: (-file.newest, file.path))
        return found[: query.limit]

    def _file(self, connection: apsw.Connection, path: int, query: EditQuery) -> FileEdits | None:
        where, values = self._asked(query)
        ask = _SUMS + _FROM.format("?", where)
        row = connection.execute(ask, (path, self._tools, *values)).fetchone()
        return FileEdits(*row) if row and row[1] else None


def _edit_line(row: Row) -> EditLine:
    return EditLine(**dict(zip(EditLine.__struct_fields__, row, strict=True)))


def _is_after(file: FileEdits, query: EditQuery) -> bool:
    """Whether a file comes after the last one of the page before."""
    return query.after is None or (-file.newest, file.path) > (-query.after[0], query.after[1])
