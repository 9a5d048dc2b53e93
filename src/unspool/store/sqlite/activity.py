"""What happened when: the strip of a session, and every call and response of some time."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence

from unspool.model.insights import (
    ActivityStrip,
    CallFact,
    CallSpan,
    PromptFact,
    ResponseFact,
    TimeSpan,
)
from unspool.model.query import Scope
from unspool.store.sqlite.connection import ReaderPool, Row
from unspool.store.sqlite.totals import in_projects, in_scope

_SESSION = "SELECT id FROM session WHERE (project_id, session_id) = (?, ?)"
# A turn lasts from its first line to its last; lines before the first prompt are in none.
_TURNS = """
    SELECT min(l.at), max(l.at) FROM source AS s JOIN line AS l ON l.source = s.id
    JOIN kind AS k ON k.id = l.kind
    WHERE s.session = ? AND s.kind = 'main' AND NOT s.superseded AND l.turn > 0
        AND k.type IN ('user', 'assistant')
    GROUP BY l.turn ORDER BY 1
"""
_SESSION_CALLS = """
    SELECT l.at + c.called, a.at + c.answered, w.text = 'error', c.tool_use_id
    FROM source AS s JOIN tool AS c ON c.source = s.id JOIN line AS l ON l.id = c.call
    LEFT JOIN line AS a ON a.id = c.result LEFT JOIN word AS w ON w.id = c.state
    WHERE s.session = ? AND s.kind = 'main' AND NOT s.superseded AND l.at + c.called IS NOT NULL
    ORDER BY 1
"""
_SESSION_AGENTS = """
    SELECT start_time, coalesce(end_time, start_time) FROM agent
    WHERE session = ? AND start_time IS NOT NULL ORDER BY 1
"""
_CUTS = """
    SELECT l.at FROM source AS s JOIN line AS l ON l.source = s.id JOIN kind AS k ON k.id = l.kind
    WHERE s.session = ? AND s.kind = 'main' AND NOT s.superseded
        AND k.subtype = 'compact_boundary' ORDER BY 1
"""
_SESSION_WAITS = """
    SELECT tool_use_id, waited_ms FROM tool_calls
    WHERE (project_id, session_id) = (?, ?) AND waited_ms > 0
"""
_HAS_HOOKS = "SELECT 1 FROM hook WHERE session = ? AND tool_use_id <> '' LIMIT 1"


def strips(
    readers: ReaderPool, keys: Iterable[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], ActivityStrip]]:
    """What is known of each session, by project and id; of one that is not, nothing comes."""
    for key in keys:
        found = readers.first(_SESSION, key)
        if found:
            yield key, _strip(readers, key, found)


def _strip(readers: ReaderPool, key: tuple[str, str], id: Row) -> ActivityStrip:
    calls = readers.every(_SESSION_CALLS, id)
    starts = {use: start for start, _, _, use in calls}
    waits = readers.every(_SESSION_WAITS, key) if readers.first(_HAS_HOOKS, id) else []
    return ActivityStrip(
        turns=tuple(TimeSpan(*row) for row in readers.every(_TURNS, id)),
        calls=tuple(_call(*row) for row in calls),
        agents=tuple(TimeSpan(a, max(a, b)) for a, b in readers.every(_SESSION_AGENTS, id)),
        waits=tuple(
            TimeSpan(starts[use], starts[use] + waited) for use, waited in waits if use in starts
        ),
        cuts=tuple(at for (at,) in readers.every(_CUTS, id)),
    )


def _call(start: int, end: int | None, failed: int | None, _: str) -> CallSpan:
    return CallSpan(start, max(start, end or start), bool(failed))


_CALLS = """
    SELECT s.session, coalesce(nullif(a.text, ''), s.agent_id), coalesce(n.text, ''),
        cl.at + c.called,
        CASE WHEN rl.at + c.answered >= cl.at + c.called
            THEN rl.at + c.answered - cl.at - c.called END,
        coalesce(st.text, ''), e.project_id, e.session_id, c.tool_use_id
    FROM {1} JOIN session AS e ON e.id = s.session JOIN line AS cl ON cl.id = c.call
    LEFT JOIN line AS rl ON rl.id = c.result
    LEFT JOIN word AS n ON n.id = c.name
    LEFT JOIN word AS a ON a.id = c.agent
    LEFT JOIN word AS st ON st.id = c.state
    WHERE cl.at >= ?1 AND cl.at < ?2 AND cl.at + c.called IS NOT NULL AND {0}
    ORDER BY 1, 2, 4, 9, 6
"""
# Where calls are found: in the lines of some time, or in the files of some sessions.
_CALLED = """
    (SELECT * FROM block WHERE newest >= ?1 AND oldest < ?2) AS b
    CROSS JOIN tool AS c ON c.call BETWEEN b.first AND b.last
    JOIN source AS s ON s.id = c.source AND NOT s.superseded
"""
_SOME = "s.session IN (SELECT value FROM json_each(?3)) AND NOT s.superseded"
_CALLED_BY = f"source AS s CROSS JOIN tool AS c ON c.source = s.id AND {_SOME}"
_RESPONSES = """
    SELECT r.session, a.text, m.text, coalesce(r.timestamp, 0) AS at,
        r.input_tokens, r.output_tokens, r.cache_read_tokens, r.cache_creation_5m,
        r.cache_creation_1h, r.cache_creation_tokens, r.web_searches, speed.text,
        geo.text, r.usd_pico, e.project_id, e.session_id, r.is_finished,
        coalesce(skill.text, ''), coalesce(server.text, ''), coalesce(type.text, ''),
        coalesce(r.line, 0)
    FROM {1} JOIN session AS e ON e.id = r.session
    JOIN word AS a ON a.id = r.agent JOIN word AS m ON m.id = r.model
    JOIN word AS speed ON speed.id = r.speed JOIN word AS geo ON geo.id = r.geo
    LEFT JOIN cause AS c ON c.line = r.line LEFT JOIN word AS skill ON skill.id = c.skill
    LEFT JOIN word AS server ON server.id = c.mcp_server LEFT JOIN word AS type ON type.id = c.agent
    WHERE at >= ?1 AND at < ?2 AND NOT (r.is_finished AND r.message_key GLOB 'a:*') AND {0}
    ORDER BY r.session, a.text, at, r.message_key
"""
_USED = """
    (
        SELECT DISTINCT session, quarter FROM total
        WHERE quarter BETWEEN ?1 / 900000 AND ?2 / 900000
    ) AS t CROSS JOIN response AS r ON r.session = t.session AND r.quarter = t.quarter
"""
_USED_BY = "json_each(?3) AS one CROSS JOIN response AS r ON r.session = one.value"
_ACROSS = """
    SELECT DISTINCT t.session FROM total AS t JOIN session AS e ON e.id = t.session
    WHERE t.quarter BETWEEN ?1 / 900000 AND ?2 / 900000
        AND (e.start_time < ?1 OR e.last_activity >= ?2)
    ORDER BY 1
"""
_HOOKED = """
    SELECT e.project_id, e.session_id FROM session AS e
    WHERE EXISTS (SELECT 1 FROM hook AS h WHERE h.session = e.id AND h.tool_use_id <> '')
        AND coalesce(e.last_activity, 0) >= ?
"""
_WAITS = """
    SELECT tool_use_id, waited_ms FROM tool_calls
    WHERE (project_id, session_id) = (?, ?) AND waited_ms > 0 AND start_time BETWEEN ? AND ?
"""
_COMPACTED = """
    SELECT s.session, l.at FROM block AS b CROSS JOIN line AS l ON l.id BETWEEN b.first AND b.last
    JOIN kind AS k ON k.id = l.kind JOIN source AS s ON s.id = l.source
    WHERE b.newest >= ?1 AND b.oldest < ?2 AND k.subtype = 'compact_boundary'
        AND NOT s.superseded AND l.at >= ?1 AND l.at < ?2
    ORDER BY 1, 2
"""
_COMPACTED_BY = f"""
    SELECT s.session, l.at FROM source AS s CROSS JOIN line AS l ON l.source = s.id
    JOIN kind AS k ON k.id = l.kind
    WHERE {_SOME} AND k.subtype = 'compact_boundary' AND l.at >= ?1 AND l.at < ?2
    ORDER BY 1, 2
"""  # noqa: S608
_PROMPTS = """
    SELECT s.session, l.at, w.text
    FROM block AS b CROSS JOIN cause AS c ON c.line BETWEEN b.first AND b.last
    JOIN line AS l ON l.id = c.line JOIN source AS s ON s.id = l.source
    JOIN word AS w ON w.id = c.command
    WHERE b.newest >= ?1 AND b.oldest < ?2 AND s.kind = 'main' AND NOT s.superseded
        AND l.at >= ?1 AND l.at < ?2
    ORDER BY 1, 2, c.line
"""
_PROMPTS_BY = f"""
    SELECT s.session, l.at, w.text FROM source AS s CROSS JOIN line AS l ON l.source = s.id
    CROSS JOIN cause AS c ON c.line = l.id JOIN word AS w ON w.id = c.command
    WHERE {_SOME} AND s.kind = 'main' AND l.at >= ?1 AND l.at < ?2
    ORDER BY 1, 2, c.line
"""  # noqa: S608
_EVENT_IDS = """
    SELECT l.id, s.source_id || '.' || s.generation || '.' || l."offset"
    FROM json_each(?) AS j CROSS JOIN line AS l ON l.id = j.value
    JOIN source AS s ON s.id = l.source
"""
_AGENT_TYPES = """
    SELECT session, agent_id, type FROM agent WHERE session IN (
        SELECT session FROM total WHERE quarter BETWEEN ?1 / 900000 AND ?2 / 900000
        UNION SELECT id FROM session WHERE coalesce(last_activity, 0) >= ?1
    )
"""
_AGENT_TYPES_BY = """
    SELECT session, agent_id, type FROM agent
    WHERE session IN (SELECT value FROM json_each(?3)) AND ?1 < ?2
"""


class TimeRangeFacts:
    """Asks for a time from its first millisecond up to but without the last.

    `projects` are their whole ids, `sessions` numbers; None is all.
    """

    def __init__(
        self,
        readers: ReaderPool,
        of: tuple[int, int],
        projects: Collection[str] | None,
        scope: Scope,
        sessions: Collection[int] | None = None,
    ) -> None:
        self._readers, self._range = readers, of
        (where, values), (some, ids) = in_scope(scope), in_projects(projects)
        self._where = f"{where} AND {some}"
        self._is_of_some = sessions is not None
        self._some = of if sessions is None else (*of, json.dumps(list(sessions)))
        self._values = *self._some, *values, *ids

    def calls(self) -> list[CallFact]:
        """By session, agent, time and id; a call that stands in two files of a session is one."""
        found: dict[tuple[int, str], CallFact] = {}
        ask = _CALLS.format(self._where, _CALLED_BY if self._is_of_some else _CALLED)
        for row in self._readers.every(ask, self._values):
            call = CallFact(*row)
            known = found.get((call.session, call.tool_use_id))
            if known is None or (not known.state and call.state):
                found[call.session, call.tool_use_id] = call
        return list(found.values())

    def responses(self) -> list[ResponseFact]:
        """By session, agent, time and key."""
        ask = _RESPONSES.format(self._where, _USED_BY if self._is_of_some else _USED)
        rows = self._readers.every(ask, self._values)
        return [ResponseFact(*row)._replace(is_finished=bool(row[16])) for row in rows]

    def across(self) -> list[int]:
        """Sessions that used something in that time, and went on before or after it."""
        return [session for (session,) in self._readers.every(_ACROSS, self._range)]

    def waits(self) -> dict[str, int]:
        """How long calls waited for approval, in milliseconds, as hooks tell."""
        since, until = self._range
        return {
            use: waited
            for key in self._readers.every(_HOOKED, (since,))
            for use, waited in self._readers.every(_WAITS, (*key, since, until))
        }

    def compactions(self) -> dict[int, list[int]]:
        """When each session was compacted."""
        found: dict[int, list[int]] = {}
        ask = _COMPACTED_BY if self._is_of_some else _COMPACTED
        for session, at in self._readers.every(ask, self._some):
            found.setdefault(session, []).append(at)
        return found

    def prompts(self) -> list[PromptFact]:
        """When something was asked, by session and time."""
        ask = _PROMPTS_BY if self._is_of_some else _PROMPTS
        return [PromptFact(*row) for row in self._readers.every(ask, self._some)]

    def agent_types(self) -> dict[tuple[int, str], str]:
        """What kind of agent each is, by session and id."""
        ask = _AGENT_TYPES_BY if self._is_of_some else _AGENT_TYPES
        rows: Sequence[tuple[int, str, str]] = self._readers.every(ask, self._some)
        return {(session, agent): type for session, agent, type in rows}

    def event_ids(self, lines: Collection[int]) -> dict[int, str]:
        """Where lines stand."""
        return dict(self._readers.every(_EVENT_IDS, (json.dumps(list(lines)),)))
