"""What happened when: the strip of a session, and every call and response of some time."""

from collections.abc import Collection, Iterable
from typing import Any, Final

from unspool.derive.usage.responses import QUARTER
from unspool.model.insights import (
    ActivityStrip,
    CallFact,
    CallSpan,
    PromptFact,
    ResponseFact,
    TimeSpan,
)
from unspool.model.query import Scope, SessionKey
from unspool.store.postgres.database import Database
from unspool.store.postgres.sessions import in_projects, in_scope

_SESSION: Final = """
    SELECT session FROM session WHERE owner = ANY(%(visible)s)
        AND (project_id, session_id) = (%(project_id)s, %(session_id)s)
"""
_MAIN: Final = """
    s.owner = ANY(%(visible)s) AND s.session = %(session)s AND s.kind = 'main' AND NOT s.superseded
"""
_LINES: Final = """
    FROM source AS s JOIN line AS l ON l.owner = s.owner AND l.source = s.source
        AND l.at BETWEEN s.first_at AND s.last_at
    JOIN kind AS k ON k.owner = l.owner AND k.kind = l.kind
"""
# A turn lasts from its first line to its last; lines before the first prompt are in none.
_TURNS: Final = f"""
    SELECT min(l.at), max(l.at) {_LINES}
    WHERE {_MAIN} AND l.turn > 0 AND k.type IN ('user', 'assistant') GROUP BY l.turn ORDER BY 1, 2
"""
_SESSION_CALLS: Final = f"""
    SELECT t.called, t.answered, coalesce(t.state = 'error', false), t.tool_use_id
    FROM source AS s JOIN tool AS t ON t.owner = s.owner AND t.source = s.source
    WHERE {_MAIN} AND t.called IS NOT NULL ORDER BY 1, 2
"""  # noqa: S608
_SESSION_AGENTS: Final = """
    SELECT start_time, coalesce(end_time, start_time) FROM agent
    WHERE owner = ANY(%(visible)s) AND session = %(session)s AND start_time IS NOT NULL
    ORDER BY 1, 2
"""
_CUTS: Final = f"""
    SELECT l.at {_LINES} WHERE {_MAIN} AND k.subtype = 'compact_boundary' ORDER BY 1
"""
_SAME_TOOL: Final = """
    FROM hook AS q WHERE q.owner = p.owner AND q.session = p.session AND q.tool_use_id = ''
        AND q.print <> 0 AND q.agent_id = p.agent_id AND q.tool_name = p.tool_name
        AND q.timestamp BETWEEN coalesce(p.asked, p.called - 2000)
            AND coalesce(p.ended, p.denied, p.refused)
"""
# A call may stand in several files of a session: the earliest row that made it stands for it, and
# the earliest answer is joined to it. It waited from the last request with its agent, tool and
# input, or the only one without the input, to where the tool began to run, or was refused.
_WAITS: Final = f"""
    WITH mine AS (
        SELECT s.session, s.kind <> 'main' AS is_copy, s.source_id, t.*
        FROM source AS s JOIN tool AS t ON t.owner = s.owner AND t.source = s.source
        WHERE s.owner = ANY(%(visible)s) AND s.session = ANY(%(hooked)s) AND NOT s.superseded
            AND t.tool_use_id <> ''
    ), made AS (
        SELECT DISTINCT ON (session, tool_use_id) session, tool_use_id, called FROM mine AS c
        WHERE call IS NOT NULL ORDER BY session, tool_use_id, call_at, is_copy, source_id
    ), answer AS (
        SELECT DISTINCT ON (session, tool_use_id) session, tool_use_id,
            CASE WHEN state IN ('rejected', 'interrupted') THEN answered END AS refused
        FROM mine AS r WHERE result IS NOT NULL
        ORDER BY session, tool_use_id, result_at, is_copy, source_id
    ), told AS (
        SELECT h.owner, h.session, h.tool_use_id, max(h.agent_id) AS agent_id,
            max(h.tool_name) AS tool_name, max(h.print) AS print,
            min(h.timestamp) FILTER (WHERE h.event_type = 'pre_tool_use') AS asked,
            min(h.timestamp) FILTER (WHERE starts_with(h.event_type, 'post_tool_use')) AS ended,
            min(h.timestamp - coalesce(h.duration_ms, 0))
                FILTER (WHERE starts_with(h.event_type, 'post_tool_use')) AS ran,
            min(h.timestamp) FILTER (WHERE h.event_type = 'permission_denied') AS denied
        FROM hook AS h
        WHERE h.owner = ANY(%(visible)s) AND h.session = ANY(%(hooked)s) AND h.tool_use_id <> ''
        GROUP BY h.owner, h.session, h.tool_use_id
    ), waited AS (
        SELECT p.tool_use_id, p.called, trunc(coalesce(p.ran, p.denied, p.refused) - coalesce(
            (SELECT max(q.timestamp) {_SAME_TOOL} AND q.print = p.print),
            (SELECT max(q.timestamp) {_SAME_TOOL} HAVING count(DISTINCT q.key) = 1)))::bigint AS ms
        FROM (
            SELECT t.*, m.called, a.refused FROM told AS t
            JOIN made AS m ON m.session = t.session AND m.tool_use_id = t.tool_use_id
            LEFT JOIN answer AS a ON a.session = t.session AND a.tool_use_id = t.tool_use_id
        ) AS p
    )
    SELECT tool_use_id, ms FROM waited
    WHERE ms > 0 AND called BETWEEN %(since)s AND %(until)s ORDER BY called, tool_use_id
"""  # noqa: S608
_CALLS: Final = """
    SELECT s.session, coalesce(nullif(t.agent_id, ''), s.agent_id), coalesce(t.name, ''),
        t.called, CASE WHEN t.answered >= t.called THEN t.answered - t.called END,
        coalesce(t.state, ''), e.project_id, e.session_id, t.tool_use_id
    FROM tool AS t JOIN source AS s ON s.owner = t.owner AND s.source = t.source
    JOIN session AS e ON e.owner = s.owner AND e.session = s.session
    WHERE t.owner = ANY(%(visible)s) AND NOT s.superseded AND t.call IS NOT NULL
        AND t.call_at >= %(since)s AND t.call_at < %(until)s AND t.called IS NOT NULL AND {}
    ORDER BY 1, 2, 4, 9, 6
"""
_SOME: Final = "s.session = ANY(%(sessions)s::bigint[])"
_RESPONSES: Final = """
    SELECT r.session, r.agent_id, r.model, coalesce(r.timestamp, 0), r.input_tokens,
        r.output_tokens, r.cache_read_tokens, r.cache_creation_5m, r.cache_creation_1h,
        r.cache_creation_tokens, r.web_searches, r.speed, r.geo, r.usd_pico, e.project_id,
        e.session_id, r.is_finished, coalesce(c.skill, ''), coalesce(c.mcp_server, ''),
        coalesce(c.agent, ''), coalesce(r.line, 0)
    FROM {} JOIN session AS e ON e.owner = r.owner AND e.session = r.session
    LEFT JOIN cause AS c ON c.owner = r.owner AND c.line = r.line
    WHERE r.is_used AND coalesce(r.timestamp, 0) >= %(since)s
        AND coalesce(r.timestamp, 0) < %(until)s AND {}
    ORDER BY 1, 2, 4, r.message_key
"""
_USED: Final = """
    (
        SELECT DISTINCT owner, session, quarter FROM total
        WHERE owner = ANY(%(visible)s) AND quarter BETWEEN %(first)s AND %(last)s
    ) AS t JOIN response AS r
        ON r.owner = t.owner AND r.session = t.session AND r.quarter = t.quarter
"""
_USED_BY: Final = """
    unnest(%(sessions)s::bigint[]) AS t (session)
    JOIN response AS r ON r.owner = ANY(%(visible)s) AND r.session = t.session
"""
_ACROSS: Final = """
    SELECT DISTINCT t.session FROM total AS t
    JOIN session AS e ON e.owner = t.owner AND e.session = t.session
    WHERE t.owner = ANY(%(visible)s) AND t.quarter BETWEEN %(first)s AND %(last)s
        AND (e.start_time < %(since)s OR e.last_activity >= %(until)s)
    ORDER BY 1
"""
_HOOKED: Final = """
    SELECT e.session FROM session AS e
    WHERE e.owner = ANY(%(visible)s) AND coalesce(e.last_activity, 0) >= %(since)s AND EXISTS (
        SELECT 1 FROM hook AS h
        WHERE h.owner = e.owner AND h.session = e.session AND h.tool_use_id <> '')
"""
_COMPACTED: Final = """
    SELECT s.session, l.at
    FROM kind AS k JOIN line AS l ON l.owner = k.owner AND l.kind = k.kind
    JOIN source AS s ON s.owner = l.owner AND s.source = l.source
    WHERE k.owner = ANY(%(visible)s) AND k.subtype = 'compact_boundary' AND NOT s.superseded
        AND l.at >= %(since)s AND l.at < %(until)s AND {}
    ORDER BY 1, 2
"""
_PROMPTS: Final = """
    SELECT s.session, c.at, c.command
    FROM cause AS c JOIN source AS s ON s.owner = c.owner AND s.source = c.source
    WHERE c.owner = ANY(%(visible)s) AND c.command IS NOT NULL AND s.kind = 'main'
        AND NOT s.superseded AND c.at >= %(since)s AND c.at < %(until)s AND {}
    ORDER BY 1, 2, c.line
"""
_EVENT_IDS: Final = """
    SELECT l.line, s.source_id || '.' || s.generation || '.' || l."offset"
    FROM line AS l JOIN source AS s ON s.owner = l.owner AND s.source = l.source
    WHERE l.owner = ANY(%(visible)s) AND l.line = ANY(%(lines)s::bigint[])
"""
_AGENT_TYPES: Final = """
    SELECT a.session, a.agent_id, a.type FROM (
        SELECT e.owner, e.session FROM session AS e
        WHERE e.owner = ANY(%(visible)s) AND coalesce(e.last_activity, 0) >= %(since)s
        UNION
        SELECT t.owner, t.session FROM total AS t
        WHERE t.owner = ANY(%(visible)s) AND t.quarter BETWEEN %(first)s AND %(last)s
    ) AS e JOIN agent AS a ON a.owner = e.owner AND a.session = e.session
"""
_AGENT_TYPES_BY: Final = """
    SELECT session, agent_id, type FROM agent
    WHERE owner = ANY(%(visible)s) AND session = ANY(%(sessions)s::bigint[])
"""
_FOREVER: Final = 2**62


class ActivityReader(Database):
    """Answers about time."""

    def strips(self, keys: Iterable[SessionKey]) -> dict[SessionKey, ActivityStrip]:
        """When things happened in some sessions; nothing for those that are not known."""
        found = ((key, self._strip(*key)) for key in keys)
        return {key: strip for key, strip in found if strip is not None}

    def _strip(self, project_id: str, session_id: str) -> ActivityStrip | None:
        known = self.first(_SESSION, project_id=project_id, session_id=session_id)
        if known is None:
            return None
        of: dict[str, Any] = {"session": known[0]}
        calls = self.every(_SESSION_CALLS, **of)
        starts = {use: start for start, _, _, use in calls}
        waits = self.every(_WAITS, hooked=[known[0]], since=-_FOREVER, until=_FOREVER)
        return ActivityStrip(
            turns=tuple(TimeSpan(*row) for row in self.every(_TURNS, **of)),
            calls=tuple(CallSpan(a, max(a, b or a), failed) for a, b, failed, _ in calls),
            agents=tuple(TimeSpan(a, max(a, b)) for a, b in self.every(_SESSION_AGENTS, **of)),
            waits=tuple(
                TimeSpan(starts[use], starts[use] + ms) for use, ms in waits if use in starts
            ),
            cuts=tuple(at for (at,) in self.every(_CUTS, **of)),
        )

    def facts_of(
        self,
        since: int,
        until: int,
        *,
        projects: Collection[str] | None = None,
        scope: Scope = None,
        sessions: Collection[int] | None = None,
    ) -> "ActivityRange":
        """Every call and response of some time."""
        return ActivityRange(self, (since, until), projects, scope, sessions)


class ActivityRange:
    """Asks for a time from its first millisecond up to but without the last."""

    def __init__(
        self,
        database: Database,
        of: tuple[int, int],
        projects: Collection[str] | None,
        scope: Scope,
        sessions: Collection[int] | None,
    ) -> None:
        self._database = database
        since, until = of
        self._range: dict[str, Any] = {"since": since, "until": until}
        self._quarters = {"first": since // QUARTER, "last": until // QUARTER}
        (where, values), (some, ids) = in_scope(scope), in_projects(projects)
        self._where, self._values = f"{where} AND {some}", {**values, **ids}
        self._some, self._used, self._types = "true", _USED, _AGENT_TYPES
        if sessions is not None:
            self._range["sessions"] = list(sessions)
            self._some, self._used, self._types = _SOME, _USED_BY, _AGENT_TYPES_BY

    def calls(self) -> list[CallFact]:
        """By session, agent, time and id; a call that stands in two files of a session is one."""
        found: dict[tuple[int, str], CallFact] = {}
        ask = _CALLS.format(f"{self._where} AND {self._some}")
        for row in self._database.every(ask, **self._range, **self._values):
            call = CallFact(*row)
            known = found.get((call.session, call.tool_use_id))
            if known is None or (not known.state and call.state):
                found[call.session, call.tool_use_id] = call
        return list(found.values())

    def responses(self) -> list[ResponseFact]:
        """By session, agent, time and key."""
        ask = _RESPONSES.format(self._used, self._where)
        of = {**self._range, **self._quarters, **self._values}
        return [ResponseFact(*row) for row in self._database.every(ask, **of)]

    def across(self) -> list[int]:
        """Sessions that used something in that time, and went on before or after it."""
        rows = self._database.every(_ACROSS, **self._range, **self._quarters)
        return [session for (session,) in rows]

    def waits(self) -> dict[str, int]:
        """How long calls waited for approval, in milliseconds, as hooks tell."""
        hooked = [one for (one,) in self._database.every(_HOOKED, **self._range)]
        rows = self._database.every(_WAITS, hooked=hooked, **self._range) if hooked else []
        return {use: ms for use, ms in rows}

    def compactions(self) -> dict[int, list[int]]:
        """When each session was compacted."""
        found: dict[int, list[int]] = {}
        for session, at in self._database.every(_COMPACTED.format(self._some), **self._range):
            found.setdefault(session, []).append(at)
        return found

    def prompts(self) -> list[PromptFact]:
        """When something was asked in main conversations, by session and time."""
        ask = _PROMPTS.format(self._some)
        return [PromptFact(*row) for row in self._database.every(ask, **self._range)]

    def agent_types(self) -> dict[tuple[int, str], str]:
        """The type of each agent, by session and id."""
        rows = self._database.every(self._types, **self._range, **self._quarters)
        return {(session, agent): type for session, agent, type in rows}

    def event_ids(self, lines: Collection[int]) -> dict[int, str]:
        """Where lines stand."""
        rows = self._database.every(_EVENT_IDS, lines=list(lines))
        return {line: place for line, place in rows}
