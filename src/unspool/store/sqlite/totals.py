"""The ledger, added up: by time, session, project or model."""

import json
from collections.abc import Collection, Iterator
from typing import Final

from unspool.derive.usage.responses import QUARTER
from unspool.model.query import Facets, ProjectTotal, Scope, TotalsQuery, UsageTotal
from unspool.store.contract import most_frequent
from unspool.store.sql_rows import TOTAL_COUNTS, TOTAL_SUMS
from unspool.store.sqlite.connection import ReaderPool, Row
from unspool.store.terms import plain

# What a total tells of itself, by how far it is added up: quarter, project, session, agent, model.
_KEYS: Final = {
    "": "t.quarter * 900000, e.project_id, e.session_id, a.text, m.text",
    "quarter": "t.quarter * 900000, '', '', '', m.text",
    "hour": "t.quarter / 4 * 3600000, '', '', '', m.text",
    "session": "0, e.project_id, e.session_id, '', m.text",
    "project": "0, e.project_id, '', '', m.text",
    "model": "0, '', '', '', m.text",
}
_GROUPS: Final = {
    "quarter": "t.quarter, t.model",
    "hour": "t.quarter / 4, t.model",
    "session": "t.session, t.model",
    "project": "e.project_id, t.model",
    "model": "t.model",
}
_TOTALS: Final = """
    SELECT {keys}, {counts} FROM total AS t JOIN session AS e ON e.id = t.session
    JOIN word AS a ON a.id = t.agent JOIN word AS m ON m.id = t.model
    WHERE {where} {group} ORDER BY 1, 2, 3, 4, 5
"""
_PROJECTS: Final = """
    SELECT e.project_id, coalesce((
            SELECT n.cwd FROM session AS n
            WHERE n.project_id = e.project_id AND n.is_displayable AND n.cwd <> '' {newest}
            ORDER BY n.last_activity DESC LIMIT 1), ''),
        count(*), min(e.start_time), max(e.last_activity)
    FROM session AS e WHERE e.is_displayable AND {where} GROUP BY e.project_id
"""
_PROJECT_SUMS: Final = """
    SELECT e.project_id, sum(t.input_tokens), sum(t.output_tokens), sum(t.cache_read_tokens),
        sum(t.cache_creation_tokens), sum(t.usd_pico), sum(t.unpriced), sum(t.lower_bound)
    FROM session AS e JOIN total AS t ON t.session = e.id
    WHERE e.is_displayable AND {where} GROUP BY e.project_id
"""
_OWN: Final = """EXISTS (
    SELECT 1 FROM source AS own
    WHERE own.session = {session}.id AND NOT own.superseded AND ({roots})
)"""
_FACETS: Final = """
    SELECT git_branch, model FROM session WHERE is_displayable
    ORDER BY coalesce(last_activity, 0) DESC, session_id DESC, project_id DESC LIMIT ?
"""


def in_scope(scope: Scope, session: str = "e") -> tuple[str, Row]:
    """The condition that a session has a file in some roots, and its values."""
    if scope is None:
        return "1", ()
    each = [f"own.root = ? AND ? IN ('', {session}.project_id)"]
    made = _OWN.format(session=session, roots=" OR ".join(each * len(scope)) or "0")
    return made, tuple(value for pair in scope for value in pair)


def in_projects(ids: Collection[str] | None) -> tuple[str, Row]:
    """The condition that a session is of some projects, and its values."""
    if ids is None:
        return "1", ()
    return "e.project_id IN (SELECT value FROM json_each(?))", (json.dumps(list(map(plain, ids))),)


def totals(readers: ReaderPool, query: TotalsQuery) -> Iterator[UsageTotal]:
    """Sums in the order of their keys."""
    where, values = _asked(query)
    group = f"GROUP BY {_GROUPS[query.by]}" if query.by else ""
    counts = TOTAL_SUMS if query.by else TOTAL_COUNTS
    ask = _TOTALS.format(keys=_KEYS[query.by], counts=counts, where=where, group=group)
    return (UsageTotal(*row) for row in readers.every(ask, values))


def _asked(query: TotalsQuery) -> tuple[str, Row]:
    given: list[tuple[str, Row]] = [in_scope(query.scope), in_projects(query.projects)]
    if query.since is not None:
        given.append(("t.quarter >= ? AND t.last_at >= ?", (query.since // QUARTER, query.since)))
    if query.until is not None:
        last = query.until // QUARTER
        given.append(("t.quarter <= ? AND t.first_at > 0 AND t.first_at < ?", (last, query.until)))
    if query.model:
        given.append(("instr(lowered(m.text), ?)", (query.model.lower(),)))
    return " AND ".join(each for each, _ in given), tuple(v for _, vs in given for v in vs)


def projects(
    readers: ReaderPool, scope: Scope, ids: Collection[str] | None = None
) -> list[ProjectTotal]:
    """Projects with sessions that are listed, all or some, in the order of their ids."""
    (where, values), (some, chosen) = in_scope(scope), in_projects(ids)
    where, values = f"{where} AND {some}", (*values, *chosen)
    newest, more = in_scope(scope, "n")
    about = readers.every(_PROJECTS.format(where=where, newest=f"AND {newest}"), (*more, *values))
    sums = {
        project: counts
        for project, *counts in readers.every(_PROJECT_SUMS.format(where=where), values)
    }
    return [
        ProjectTotal(
            project_id=project,
            cwd=cwd,
            sessions=count,
            first_activity=first,
            last_activity=last,
            input_tokens=input,
            output_tokens=output,
            cache_read_tokens=cache_read,
            cache_creation_tokens=cache_creation,
            usd_pico=pico,
            unpriced=unpriced,
            lower_bound=unfinished,
        )
        for project, cwd, count, first, last in about
        for input, output, cache_read, cache_creation, pico, unpriced, unfinished in (
            sums.get(project, (0,) * 7),
        )
    ]


def facets(readers: ReaderPool, limit: int, newest: int) -> Facets:
    """The most frequent branches and models of the newest sessions that are listed."""
    rows = readers.every(_FACETS, (newest,))
    branches, models = (most_frequent((row[n] for row in rows), limit) for n in (0, 1))
    return Facets(branches, models)
