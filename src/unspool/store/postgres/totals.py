"""The ledger: who owns which response, and sums by time, session, project or model."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from unspool.derive.usage.responses import QUARTER
from unspool.model.query import (
    ModelUsage,
    ProjectTotal,
    Scope,
    SessionKey,
    TotalsQuery,
    UsageTotal,
)
from unspool.model.usage import UsageRow
from unspool.store.postgres.database import Database
from unspool.store.postgres.sessions import NAMED, in_projects, in_scope, named
from unspool.store.postgres.writing.ledger import OWNED, owned
from unspool.store.sql_rows import TOTAL_COUNTS, TOTAL_SUMS

# What a total tells of itself, by how far it is added up: quarter, project, session, agent, model.
_KEYS: Final = {
    "": "t.quarter * 900000, e.project_id, e.session_id, t.agent_id, t.model",
    "quarter": "t.quarter * 900000, '', '', '', t.model",
    "hour": "t.quarter / 4 * 3600000, '', '', '', t.model",
    "session": "0, e.project_id, e.session_id, '', t.model",
    "project": "0, e.project_id, '', '', t.model",
    "model": "0, '', '', '', t.model",
}
_TOTALS: Final = """
    SELECT {keys}, {counts}
    FROM total AS t JOIN session AS e ON e.owner = t.owner AND e.session = t.session
    WHERE t.owner = ANY(%(visible)s) AND {where} {group} ORDER BY 1, 2, 3, 4, 5
"""
# The same of whole hours, where nothing smaller is asked for.
_HOUR_KEYS: Final = {
    "hour": "t.hour * 3600000, '', '', '', t.model",
    "project": "0, t.project_id, '', '', t.model",
    "model": "0, '', '', '', t.model",
}
_HOUR: Final = 4 * QUARTER
_HOURS: Final = """
    SELECT {keys}, {counts} FROM hour_total AS t
    WHERE t.owner = ANY(%(visible)s) AND {where} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
"""
_OF_MODEL: Final = """t.model IN (
    SELECT n.model FROM model AS n
    WHERE n.owner = ANY(%(visible)s) AND position(%(model)s in n.lowered) > 0)
"""
_PROJECTS: Final = """
    SELECT e.project_id, coalesce((array_agg(e.cwd ORDER BY e.last_activity DESC NULLS LAST)
            FILTER (WHERE e.cwd <> ''))[1], ''),
        count(*), min(e.start_time), max(e.last_activity)
    FROM session AS e WHERE e.owner = ANY(%(visible)s) AND e.is_displayable AND {where}
    GROUP BY e.project_id ORDER BY e.project_id
"""
_PROJECT_SUMS: Final = """
    SELECT e.project_id, sum(t.input_tokens), sum(t.output_tokens), sum(t.cache_read_tokens),
        sum(t.cache_creation_tokens), sum(t.usd_pico), sum(t.unpriced), sum(t.lower_bound)
    FROM session AS e JOIN total AS t ON t.owner = e.owner AND t.session = e.session
    WHERE e.owner = ANY(%(visible)s) AND e.is_displayable AND {where} GROUP BY e.project_id
"""
# The same of whole projects, without their sessions: an index has the first and the newest.
_LISTED: Final = "e.owner = p.owner AND e.project_id = p.project_id AND e.is_displayable"
_EVERY_PROJECT: Final = f"""
    SELECT p.project_id,
        coalesce((array_agg(newest.cwd ORDER BY newest.last_activity DESC NULLS LAST)
            FILTER (WHERE newest.cwd <> ''))[1], ''),
        sum(p.sessions), min((SELECT min(e.start_time) FROM session AS e WHERE {_LISTED})),
        nullif(max((
            SELECT max(coalesce(e.last_activity, 0)) FROM session AS e WHERE {_LISTED})), 0),
        sum(p.input_tokens), sum(p.output_tokens), sum(p.cache_read_tokens),
        sum(p.cache_creation_tokens), sum(p.usd_pico), sum(p.unpriced), sum(p.lower_bound)
    FROM project AS p LEFT JOIN LATERAL (
        SELECT e.cwd, e.last_activity FROM session AS e WHERE {_LISTED} AND e.cwd <> ''
        ORDER BY e.last_activity DESC NULLS LAST LIMIT 1
    ) AS newest ON true
    WHERE p.owner = ANY(%(visible)s) AND {{where}} GROUP BY 1 ORDER BY 1
"""  # noqa: S608
_USAGE: Final = f"""
    SELECT e.project_id, e.session_id, r.model, sum(r.input_tokens), sum(r.output_tokens),
        sum(r.cache_read_tokens), sum(r.cache_creation_tokens), sum(r.cache_creation_5m),
        sum(r.cache_creation_1h), coalesce(sum(r.usd_pico), 0),
        count(*) FILTER (WHERE r.usd_pico IS NULL), count(*) FILTER (WHERE NOT r.is_finished)
    FROM session AS e JOIN response AS r ON r.owner = e.owner AND r.session = e.session
    WHERE e.owner = ANY(%(visible)s) AND {NAMED} AND r.is_used
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""  # noqa: S608
_OWNERS: Final = """
    SELECT r.message_key, e.project_id, e.session_id
    FROM response AS r JOIN session AS e ON e.owner = r.owner AND e.session = r.session
    WHERE r.owner = ANY(%(visible)s) AND r.message_key = ANY(%(keys)s::text[])
"""
_RESPONSES: Final = f"""{OWNED}
    WHERE r.owner = ANY(%(visible)s)
        AND (e.project_id, e.session_id) = (%(project_id)s, %(session_id)s) ORDER BY r.response
"""
_UNPRICED: Final = """
    SELECT model, count(*) FROM response
    WHERE owner = ANY(%(visible)s) AND usd_pico IS NULL AND is_used
    GROUP BY model ORDER BY 2 DESC, 1 LIMIT %(limit)s
"""


class TotalsReader(Database):
    """Answers about money and tokens."""

    def owners(self, keys: Iterable[str]) -> dict[str, SessionKey]:
        """The session that each of these responses counts for, where it is known."""
        rows = self.every(_OWNERS, keys=list(keys))
        return {key: (project, session) for key, project, session in rows}

    def responses(self, project_id: str, session_id: str) -> list[UsageRow]:
        """Every response that counts for a session."""
        rows = self.every(_RESPONSES, project_id=project_id, session_id=session_id)
        return [one.row for _, one in map(owned, rows)]

    def usage_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[ModelUsage]]:
        """What some sessions own, by model."""
        found: dict[SessionKey, list[ModelUsage]] = {}
        for project_id, session_id, *sums in self.every(_USAGE, **named(names)):
            found.setdefault((project_id, session_id), []).append(ModelUsage(*sums))
        return found

    def totals(self, query: TotalsQuery) -> Iterator[UsageTotal]:
        """Sums in the order of their keys."""
        if _is_of_hours(query):
            where, values = _asked_of_hours(query)
            ask = _HOURS.format(keys=_HOUR_KEYS[query.by], counts=TOTAL_SUMS, where=where)
            return (UsageTotal(*row) for row in self.every(ask, **values))
        where, values = _asked(query)
        group = "GROUP BY 1, 2, 3, 4, 5" if query.by else ""
        counts = TOTAL_SUMS if query.by else TOTAL_COUNTS
        ask = _TOTALS.format(keys=_KEYS[query.by], counts=counts, where=where, group=group)
        return (UsageTotal(*row) for row in self.every(ask, **values))

    def projects(
        self, scope: Scope = None, *, ids: Collection[str] | None = None
    ) -> list[ProjectTotal]:
        """Projects with sessions that are listed, all or some, in the order of their ids."""
        (where, values), (some, chosen) = in_scope(scope), in_projects(ids)
        names = ProjectTotal.__struct_fields__
        if scope is None:
            rows = self.every(_EVERY_PROJECT.format(where=some.replace("e.", "p.")), **chosen)
            return [ProjectTotal(**dict(zip(names, row, strict=True))) for row in rows]
        where, values = f"{where} AND {some}", {**values, **chosen}
        about = self.every(_PROJECTS.format(where=where), **values)
        sums = {
            project: counts
            for project, *counts in self.every(_PROJECT_SUMS.format(where=where), **values)
        }
        return [
            ProjectTotal(**dict(zip(names, (*row, *sums.get(row[0], (0,) * 7)), strict=True)))
            for row in about
        ]

    def unpriced_models(self, *, limit: int) -> list[tuple[str, int]]:
        """Models without a price and their responses, most frequent first."""
        return [(model, count) for model, count in self.every(_UNPRICED, limit=limit)]


def _is_of_hours(query: TotalsQuery) -> bool:
    """Whether sums of whole hours have the answer, to the picodollar."""
    times = (query.since or 0, query.until or 0)
    return query.by in _HOUR_KEYS and query.scope is None and not any(at % _HOUR for at in times)


def _asked_of_hours(query: TotalsQuery) -> tuple[str, dict[str, Any]]:
    some, values = in_projects(query.projects)
    given = [some.replace("e.", "t.")]
    if query.since is not None:
        given.append("t.hour >= %(first)s")
        values["first"] = query.since // _HOUR
    if query.until is not None:
        given.append("t.hour < %(last)s AND t.is_dated")
        values["last"] = query.until // _HOUR
    if query.model:
        given.append(_OF_MODEL)
        values["model"] = query.model.lower()
    return " AND ".join(given), values


def _asked(query: TotalsQuery) -> tuple[str, dict[str, Any]]:
    given = [in_scope(query.scope), in_projects(query.projects)]
    if query.since is not None:
        since = {"since": query.since, "first": query.since // QUARTER}
        given.append(("t.quarter >= %(first)s AND t.last_at >= %(since)s", since))
    if query.until is not None:
        until = {"until": query.until, "last": query.until // QUARTER}
        some = "t.quarter <= %(last)s AND t.first_at > 0 AND t.first_at < %(until)s"
        given.append((some, until))
    if query.model:
        given.append((_OF_MODEL, {"model": query.model.lower()}))
    values = {name: value for _, some in given for name, value in some.items()}
    return " AND ".join(each for each, _ in given), values
