"""A session or project that was asked for -> its files, and where their lines are."""

import apsw

from unspool.model.query import TextQuery
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.finding.ranges import Range, joined
from unspool.store.terms import plain

# Lines of others between two of a session's are looked at too, if they are no more than these.
_NEAR = 64
_CHOSEN = """
    SELECT s.id, s.first_line, s.last_line
    FROM session AS e CROSS JOIN source AS s ON s.session = e.id
    WHERE {} AND s.first_line IS NOT NULL AND NOT s.superseded
    ORDER BY s.first_line
"""
# From one project to the next: there are many more sessions.
_OF_PROJECT = """
    e.project_id IN (
        WITH RECURSIVE every (id) AS (
            SELECT min(project_id) FROM session UNION ALL
            SELECT (SELECT min(project_id) FROM session WHERE project_id > every.id) FROM every
            WHERE id IS NOT NULL
        ) SELECT id FROM every WHERE instr(lower(id), lower(?))
    )
"""
# The first says where they are in the index, the second decides.
_OF_SESSION = (
    "e.session_id >= ? AND e.session_id < ? || char(0x10ffff) AND instr(e.session_id, ?) = 1"
)


def chosen(connection: apsw.Connection, query: TextQuery) -> tuple[frozenset[int], list[Range]]:
    """Files of a session or project, and the numbers outside of which none has a line."""
    project, session = plain(query.project), plain(query.session)
    given = [_OF_PROJECT] * bool(project) + [_OF_SESSION] * bool(session)
    values = [project] * bool(project) + [session] * 3 * bool(session)
    ask = _CHOSEN.format(" AND ".join(given))
    found: list[Row] = connection.execute(ask, values).fetchall()
    spans = joined((Range(first, last) for _, first, last in found), _NEAR)
    return frozenset(id for id, *_ in found), spans
