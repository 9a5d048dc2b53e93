"""Files that calls have edited, the newest edit first, and the lines of those calls."""

from typing import Any, Final

from unspool.model.edits import EditLine, EditQuery, FileEdits
from unspool.store.contract import EDIT_TOOLS
from unspool.store.postgres.database import Database
from unspool.store.postgres.sessions import MARKED, TITLE, in_projects

_WHERE: Final = """
    WHERE t.owner = ANY(%(visible)s) AND t.tool = ANY(%(tools)s) AND NOT s.superseded AND {}
"""
# Of all edits the newest are looked at, however many there are.
_NEWEST: Final = 20_000
_FROM: Final = """
    FROM (
        SELECT * FROM touched WHERE owner = ANY(%(visible)s) {} ORDER BY at DESC LIMIT %(newest)s
    ) AS t JOIN source AS s ON s.owner = t.owner AND s.source = t.source
    JOIN session AS e ON e.owner = s.owner AND e.session = s.session
"""
_OF_PATH: Final = "AND md5(path) = md5(%(path)s) AND path = %(path)s"
_FILES: Final = f"""
    SELECT t.path, count(*), count(DISTINCT s.session), max(t.at) AS newest
    {_FROM.format("")} {_WHERE}
    GROUP BY t.path {{}} ORDER BY newest DESC, t.path LIMIT %(limit)s
"""
_AFTER: Final = "HAVING (max(t.at), %(after_path)s) < (%(after_at)s, t.path)"
_EDITS: Final = f"""
    SELECT t.path, t.tool, s.source_id, s.generation, l."offset", l.length, e.project_id,
        e.session_id, coalesce(nullif(k.agent_id, ''), s.agent_id), e.cwd, {TITLE}, t.at
    {_FROM.format(_OF_PATH)} {MARKED}
    JOIN line AS l ON l.owner = t.owner AND l.source = t.source AND l."offset" = t."offset"
        AND l.at = t.at
    JOIN kind AS k ON k.owner = l.owner AND k.kind = l.kind {_WHERE}
    ORDER BY t.at DESC, s.source_id DESC, l."offset" DESC LIMIT %(limit)s
"""


class FileEditReader(Database):
    """Answers about edited files."""

    viewer: int

    def edited_files(self, query: EditQuery) -> list[FileEdits]:
        """A page of files."""
        where, values = _asked(query)
        having = ""
        if query.path:
            where += " AND position(%(part)s in coalesce(t.lowered, t.path)) > 0"
            values["part"] = query.path.lower()
        if query.after is not None:
            having = _AFTER
            values |= {"after_at": query.after[0], "after_path": query.after[1]}
        rows = self.every(_FILES.format(where, having), **values)
        return [FileEdits(*row) for row in rows]

    def edits_of(self, path: str, query: EditQuery) -> list[EditLine]:
        """The edits of one file, newest first."""
        where, values = _asked(query)
        rows = self.every(_EDITS.format(where), path=path, viewer=self.viewer, **values)
        return [EditLine(**dict(zip(EditLine.__struct_fields__, row, strict=True))) for row in rows]


def _asked(query: EditQuery) -> tuple[str, dict[str, Any]]:
    where, values = in_projects(query.projects)
    values = {**values, "tools": list(EDIT_TOOLS), "limit": max(0, query.limit)}
    values["newest"] = _NEWEST
    if query.roots:
        where += " AND s.root = ANY(%(roots)s)"
        values["roots"] = list(query.roots)
    return where, values
