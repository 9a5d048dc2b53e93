"""Sessions: lists of them, what ties them together, and the feed of changes."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from unspool.model.health import StoreStatus
from unspool.model.query import (
    Change,
    Facets,
    Scope,
    SessionKey,
    SessionListing,
    SessionQuery,
)
from unspool.model.rows import SessionRow
from unspool.store.contract import most_frequent
from unspool.store.postgres.database import Database, Row
from unspool.store.postgres.files import tail_state

_COLUMNS: Final = SessionRow.__struct_fields__
_NEWEST: Final = "coalesce(e.last_activity, 0)"
_MINE: Final = "s.owner = e.owner AND s.session = e.session AND NOT s.superseded"
# A title that the reader gave goes before all others.
TITLE: Final = "coalesce(nullif(m.title, ''), e.title)"
MARKED: Final = """
    LEFT JOIN mark AS m ON m.viewer = %(viewer)s AND m.owner = e.owner
        AND m.project_id = e.project_id AND m.session_id = e.session_id
"""
_ORDER: Final = f"{_NEWEST} DESC, e.session_id DESC, e.project_id DESC"
# What else is read is read of one page alone. A sum is in no index: for LIMIT 1 the planner would
# go through all files of an owner in the order of their numbers.
_SESSIONS: Final = f"""
    SELECT {", ".join(TITLE if name == "title" else f"e.{name}" for name in _COLUMNS)},
        (SELECT coalesce(sum(s.events), 0) FROM source AS s WHERE {_MINE}),
        (SELECT coalesce(sum(s.calls), 0) FROM source AS s WHERE {_MINE}),
        (SELECT count(*) FROM hook AS h WHERE h.owner = e.owner AND h.session = e.session),
        main.size, main.tail, (
            SELECT coalesce(
                bool_and(s.gone_at IS NOT NULL) FILTER (WHERE s.kind = 'main'),
                bool_and(s.gone_at IS NOT NULL), false)
            FROM source AS s WHERE {_MINE})
    FROM (SELECT * FROM ({{}}) AS e ORDER BY {_ORDER} LIMIT %(limit)s) AS e {MARKED}
    LEFT JOIN LATERAL (
        SELECT s.size, s.tail FROM source AS s WHERE {_MINE} AND s.kind = 'main'
        ORDER BY s.source_id + 0 LIMIT 1
    ) AS main ON true
    ORDER BY {_ORDER}
"""  # noqa: S608
_OF_ALL: Final = f"""
    SELECT e.* FROM session AS e WHERE e.owner = ANY(%(visible)s) AND {{}}
    ORDER BY {_ORDER} LIMIT %(limit)s
"""  # noqa: S608
# An index gives the newest in order for one project of one owner alone.
_OF_PROJECTS: Final = f"""
    SELECT newest.* FROM project AS p CROSS JOIN LATERAL (
        SELECT e.* FROM session AS e
        WHERE e.owner = p.owner AND e.project_id = p.project_id AND {{}}
        ORDER BY {_ORDER} LIMIT %(limit)s
    ) AS newest WHERE p.owner = ANY(%(visible)s) AND {{}}
"""  # noqa: S608
# From one to the next, without going through all sessions.
_PROJECTS: Final = """
    WITH RECURSIVE each (owner, id) AS (
        SELECT o.owner, (
            SELECT min(e.project_id) FROM session AS e
            WHERE e.owner = o.owner AND e.project_id > '')
        FROM unnest(%(visible)s::int[]) AS o (owner)
        UNION ALL
        SELECT each.owner, (
            SELECT min(e.project_id) FROM session AS e
            WHERE e.owner = each.owner AND e.project_id > each.id)
        FROM each WHERE each.id IS NOT NULL
    )
    SELECT DISTINCT id FROM each WHERE id IS NOT NULL ORDER BY 1
"""
_FACETS: Final = f"""
    SELECT e.git_branch, e.model FROM session AS e
    WHERE e.owner = ANY(%(visible)s) AND {{}} AND e.is_displayable
    ORDER BY {_ORDER} LIMIT %(newest)s
"""  # noqa: S608
NAMED: Final = """
    (e.project_id, e.session_id) IN (
        SELECT * FROM unnest(%(projects)s::text[], %(sessions)s::text[]))
"""
_AGENTS: Final = f"""
    SELECT e.project_id, e.session_id, a.facts
    FROM session AS e JOIN agent AS a ON a.owner = e.owner AND a.session = e.session
    WHERE e.owner = ANY(%(visible)s) AND {NAMED}
"""  # noqa: S608
_RELATED: Final = """
    SELECT DISTINCT e.transcript_path
    FROM tie AS t JOIN session AS e ON e.owner = t.owner AND e.session = t.session
    WHERE t.owner = ANY(%(visible)s) AND t.tie = ANY(%(ties)s::bigint[])
        AND e.transcript_path <> '' ORDER BY 1
"""
_UNLINKED: Final = """
    SELECT project_id, session_id FROM session
    WHERE owner = ANY(%(visible)s) AND is_unlinked ORDER BY 1, 2
"""
_HOOKED: Final = """
    SELECT project_id, session_id FROM session
    WHERE owner = ANY(%(visible)s) AND origin = 'hook' ORDER BY 1, 2
"""
_HOOK_TIMES: Final = """
    SELECT coalesce(h.timestamp, 0)
    FROM session AS e JOIN hook AS h ON h.owner = e.owner AND h.session = e.session
    WHERE e.owner = ANY(%(visible)s) AND e.session_id = %(session_id)s AND h.key = %(key)s
    ORDER BY 1
"""
_CHANGES: Final = """
    SELECT seq, project_id, session_id, source_id, generation, begins, ends, kind FROM change
    WHERE owner = ANY(%(visible)s) AND seq > %(after)s ORDER BY seq LIMIT %(limit)s
"""
HEAD: Final = "SELECT coalesce(max(seq), 0) FROM person WHERE owner = ANY(%(visible)s)"
# Of everybody, also of those who were erased: it never goes back.
_EDITION: Final = "SELECT coalesce(sum(edition), 0)::bigint FROM person WHERE owner > 0"
_PRICES: Final = "SELECT max(prices) FROM person WHERE owner = ANY(%(visible)s)"
_STATUS: Final = """
    SELECT coalesce(sum(lines), 0), coalesce(sum(superseded), 0), coalesce(sum(bad_lines), 0),
        coalesce(sum(hook_files), 0), coalesce(sum(sources), 0), coalesce(sum(gone), 0),
        coalesce(sum(sessions), 0), coalesce(sum(hook_events), 0),
        pg_database_size(current_database()), current_setting('server_version')
    FROM holding WHERE owner = ANY(%(visible)s)
"""
_COUNTED: Final = (
    "lines", "superseded", "bad_lines", "hook_files", "sources", "gone", "sessions", "hook_events",
    "index_bytes", "database",
)  # fmt: skip
_OWN: Final = """EXISTS (
    SELECT 1 FROM source AS own
    JOIN unnest(%({0}_roots)s::text[], %({0}_projects)s::text[]) AS wanted (root, project)
        ON wanted.root = own.root
    WHERE own.owner = {0}.owner AND own.session = {0}.session AND NOT own.superseded
        AND wanted.project IN ('', {0}.project_id)
)"""


def in_scope(scope: Scope, session: str = "e") -> tuple[str, dict[str, Any]]:
    """The condition that a session has a file in some roots, and its values."""
    if scope is None:
        return "true", {}
    roots, projects = [root for root, _ in scope], [project for _, project in scope]
    return _OWN.format(session), {f"{session}_roots": roots, f"{session}_projects": projects}


def in_projects(ids: Collection[str] | None) -> tuple[str, dict[str, Any]]:
    """The condition that a session is of some projects, and its values."""
    if ids is None:
        return "true", {}
    return "e.project_id = ANY(%(project_ids)s::text[])", {"project_ids": list(ids)}


def named(names: Sequence[SessionKey]) -> dict[str, list[str]]:
    """The values of `NAMED`."""
    return {"projects": [one for one, _ in names], "sessions": [one for _, one in names]}


class SessionListReader(Database):
    """Answers about sessions and the feed."""

    viewer: int

    def sessions(self, query: SessionQuery) -> list[SessionListing]:
        """Sessions, newest activity first."""
        which, values = self._asked(query)
        limit = max(0, query.limit)
        rows = self.every(_SESSIONS.format(which), limit=limit, viewer=self.viewer, **values)
        return [_listing(row) for row in rows]

    def _asked(self, query: SessionQuery) -> tuple[str, dict[str, Any]]:
        """Which sessions, by the index that has them in order."""
        where, values = _conditions(query)
        (some, chosen), prefix = in_projects(query.projects), {"prefix": query.prefix}
        named = f"{some} AND starts_with(e.project_id, %(prefix)s)"
        is_narrow = query.projects is not None or query.prefix
        if is_narrow and not query.everything:  # `project` has the listed sessions alone
            which = _OF_PROJECTS.format(where, named.replace("e.", "p."))
        else:
            which = _OF_ALL.format(f"{self.single} AND {named} AND {where}")
        return which, {**values, **chosen, **prefix}

    @property
    def single(self) -> str:
        """A condition that lets an index that begins with the owner give rows in order."""
        return f"e.owner = {self.visible[0]:d}" if len(self.visible) == 1 else "true"

    def project_ids(self) -> list[str]:
        """Every project, by id."""
        return [id for (id,) in self.every(_PROJECTS)]

    def facets(self, *, limit: int, newest: int = 2_000) -> Facets:
        """The most frequent branches and models of the newest listed sessions."""
        rows = self.every(_FACETS.format(self.single), newest=newest)
        branches, models = (most_frequent((row[n] for row in rows), limit) for n in (0, 1))
        return Facets(branches, models)

    def agents_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[bytes]]:
        """What is known of the agents of some sessions, packed."""
        found: dict[SessionKey, list[bytes]] = {}
        for project_id, session_id, facts in self.every(_AGENTS, **named(names)):
            found.setdefault((project_id, session_id), []).append(facts)
        return found

    def related(self, ties: Collection[int]) -> list[str]:
        """The transcripts of sessions that have one of these ties."""
        return [path for (path,) in self.every(_RELATED, ties=list(ties))]

    def unlinked(self) -> list[SessionKey]:
        """Sessions that have new facts since their agents were put."""
        return [(project, session) for project, session in self.every(_UNLINKED)]

    def hook_sessions(self) -> list[SessionKey]:
        """The sessions that only hooks know."""
        return [(project, session) for project, session in self.every(_HOOKED)]

    def hook_times(self, session_id: str, key: str) -> list[int]:
        """When records of one key are from, whichever project the session is of."""
        return [at for (at,) in self.every(_HOOK_TIMES, session_id=session_id, key=key)]

    def changes(self, *, after: int = 0, limit: int = 500) -> list[Change]:
        """The feed since `after`."""
        return [Change(*row) for row in self.every(_CHANGES, after=after, limit=limit)]

    def head(self) -> int:
        """The newest seq, or 0."""
        ((seq,),) = self.every(HEAD)
        return int(seq)

    def edition(self) -> int:
        """Another number once something was erased, or an index was rebuilt."""
        ((number,),) = self.every(_EDITION)
        return int(number)

    def prices(self) -> str:
        """The name of the table the ledger was last priced by, or ''."""
        ((name,),) = self.every(_PRICES)
        return name or ""

    def counts(self) -> StoreStatus:
        """Counts of the index."""
        ((*counts,),) = self.every(_STATUS)
        values: dict[str, Any] = dict(zip(_COUNTED, counts, strict=True))
        return StoreStatus(seq=self.head(), **values)


def _conditions(query: SessionQuery) -> tuple[str, dict[str, Any]]:
    """Conditions; text of the user is only ever a value."""
    given = [in_scope(query.scope)]
    if query.session:
        given.append(("starts_with(e.session_id, %(beginning)s)", {"beginning": query.session}))
    if query.id:
        given.append(("e.session_id = %(id)s", {"id": query.id}))
    if query.since is not None:
        given.append((f"{_NEWEST} >= %(since)s", {"since": query.since}))
    if query.after is not None:
        last, session_id, project_id = query.after
        after = {"last": last, "after_session": session_id, "after_project": project_id}
        place = "(%(last)s, %(after_session)s, %(after_project)s)"
        given.append((f"({_NEWEST}, e.session_id, e.project_id) < {place}", after))
    if not query.everything:
        given.append(("e.is_displayable", {}))
    values = {name: value for _, some in given for name, value in some.items()}
    return " AND ".join(each for each, _ in given), values


def _listing(row: Row) -> SessionListing:
    *told, events, calls, hooks, size, tail, gone = row
    written = tail_state(tail).mtime_ns // 1_000_000 if tail is not None else None
    return SessionListing(
        **dict(zip(_COLUMNS, told, strict=True)),
        events=events,
        tool_calls=calls,
        hooks=hooks,
        size=size,
        last_write=written,
        source_gone=gone,
    )
