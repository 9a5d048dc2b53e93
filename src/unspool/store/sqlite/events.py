"""The rows that the timeline of a session is made from."""

from array import array
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

import apsw

from unspool.model.live import (
    HookNote,
    HookStamp,
    LineEvent,
    TimelineSource,
    TokenCounts,
    ToolLines,
)
from unspool.model.rows import HookRow
from unspool.store.sql_rows import line_event, token_counts
from unspool.store.sqlite.connection import ReaderPool, Row
from unspool.store.sqlite.functions import crc
from unspool.store.terms import plain

_NUMBER: Final = "SELECT id FROM session WHERE (project_id, session_id) = (?, ?)"
_SOURCES: Final = """
    SELECT id, source_id, generation, "offset", kept, last_line FROM source
    WHERE session = ? AND NOT superseded AND kind NOT IN ('hook_log', 'spool')
"""
_LINE: Final = """
    SELECT s.source_id, s.generation, l."offset", l.length, l.id, l.at + l.moment,
        l.at + coalesce(l.moment, 0), k.event_type, coalesce(nullif(k.agent_id, ''), s.agent_id),
        uuid_text(l.uuid)
"""
_LINES: Final = f"""{_LINE}
    FROM source AS s JOIN line AS l ON l.source = s.id JOIN kind AS k ON k.id = l.kind
    WHERE s.id = ? AND l."offset" >= ? AND l."offset" < ? AND k.event_type <> ''
    ORDER BY l."offset" LIMIT ?
"""
_LINES_BY_ID: Final = f"""{_LINE}
    FROM carray(?) AS asked CROSS JOIN line AS l ON l.id = asked.value
    JOIN source AS s ON s.id = l.source JOIN kind AS k ON k.id = l.kind
    WHERE k.event_type <> '' AND NOT s.superseded
"""
_LINE_IDS: Final = 'SELECT id FROM line WHERE source = ? AND "offset" >= ?'
_TOOLS: Final = """
    SELECT t.id, t.tool_use_id, coalesce(w.text, ''), t.call, t.result, l.at + l.moment
    FROM tool AS t LEFT JOIN word AS w ON w.id = t.name LEFT JOIN line AS l ON l.id = t.call
    WHERE t.source = ?
"""
_TOOLS_BY_LINE: Final = """
    SELECT t.id, t.tool_use_id, coalesce(w.text, ''), t.call, t.result, l.at + l.moment
    FROM (
        SELECT t.id FROM carray(?1) AS asked CROSS JOIN tool AS t ON t.call = asked.value
        UNION SELECT t.id FROM carray(?2) AS asked CROSS JOIN tool AS t ON t.result = asked.value
    ) AS found
    CROSS JOIN tool AS t ON t.id = found.id LEFT JOIN word AS w ON w.id = t.name
    LEFT JOIN line AS l ON l.id = t.call
"""
_LINE_OF_CALL: Final = """
    SELECT l.id FROM source AS s
    CROSS JOIN tool AS t ON t.source = s.id AND t.crc = ?2 AND t.tool_use_id = ?3
    CROSS JOIN line AS l ON l.id = t.{0} CROSS JOIN kind AS k ON k.id = l.kind
    WHERE s.session = ?1 AND NOT s.superseded AND s.kind NOT IN ('hook_log', 'spool')
        AND k.event_type <> ''
    ORDER BY l.at + coalesce(l.moment, 0), s.source_id, l."offset" LIMIT 1
"""
_TOKENS: Final = """
    SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
        coalesce(sum(cache_creation_tokens), 0), coalesce(sum(cache_read_tokens), 0)
    FROM total WHERE session = ?
"""
_USED: Final = """
    SELECT r.line, sum(r.input_tokens), sum(r.output_tokens), sum(r.cache_creation_tokens),
        sum(r.cache_read_tokens)
"""
_TOKENS_BY_LINE: Final = f"""{_USED}
    FROM response AS r WHERE r.session = ? AND r.line IS NOT NULL GROUP BY r.line
"""
_TOKENS_OF: Final = f"""{_USED}
    FROM carray(?2) AS asked CROSS JOIN response AS r ON r.line = asked.value
    WHERE +r.session = ?1 GROUP BY r.line
"""
# A response counts where it was told first: later lines of it change the tokens of an earlier one.
_RESPONSES: Final = """
    WITH told AS (
        SELECT CASE typeof(l.message_id) WHEN 'integer'
            THEN (SELECT message_id FROM line WHERE id = l.id - l.message_id)
            ELSE l.message_id END AS message,
        CASE typeof(l.request_id) WHEN 'integer'
            THEN (SELECT request_id FROM line WHERE id = l.id - l.request_id)
            ELSE l.request_id END AS request
        FROM carray(?2) AS asked CROSS JOIN line AS l ON l.id = asked.value
    ), key AS (
        SELECT DISTINCT coalesce('m:' || nullif(message, ''), 'r:' || nullif(request, '')) AS key
        FROM told
    )
    SELECT r.id, r.line FROM key CROSS JOIN response AS r ON r.crc = crc(key.key)
    WHERE key.key IS NOT NULL AND r.message_key = key.key AND +r.session = ?1
        AND r.line IS NOT NULL
"""
_WORDS: Final = """
    JOIN word AS event ON event.id = h.event_type
    JOIN word AS tool ON tool.id = h.tool_name
    JOIN word AS decision ON decision.id = h.decision
    JOIN word AS agent ON agent.id = h.agent
    JOIN word AS origin ON origin.id = h.source
"""
_HOOK: Final = """
    SELECT h.event_id, h.timestamp, event.text, h.tool_use_id, tool.text, decision.text,
        inflated(h.handler_results), inflated(h.input), agent.text, h.duration_ms, origin.text,
        h.line, e.session_id, e.project_id, h.print, h.uuid, h.key
"""
_HOOKS: Final = f"""{_HOOK}
    FROM session AS e JOIN hook AS h ON h.session = e.id {_WORDS}
    WHERE (e.project_id, e.session_id) = (?, ?)
    ORDER BY coalesce(h.timestamp, 0), h.line
"""
_HOOKS_BY_LINE: Final = f"""{_HOOK}
    FROM carray(?2) AS asked CROSS JOIN hook AS h ON h.line = asked.value
    CROSS JOIN session AS e ON e.id = h.session {_WORDS} WHERE +h.session = ?1
"""
_NOTE: Final = """
    SELECT h.line, h.timestamp, event.text, h.tool_use_id, tool.text, agent.text, h.duration_ms,
        h.key, h.event_id, iif(event.text = 'user_prompt_submit', inflated(h.input), '')
    FROM hook AS h JOIN word AS event ON event.id = h.event_type
    JOIN word AS tool ON tool.id = h.tool_name JOIN word AS agent ON agent.id = h.agent
"""
_NOTES: Final = f"{_NOTE} WHERE h.session = ?"
# What is new is found by its line, whichever session it is of: less than all of a long one.
_NEW_NOTES: Final = f"{_NOTE} WHERE h.line > ?2 AND +h.session = ?1"
_HOOK_COUNT: Final = "SELECT count(*) FROM hook WHERE session = ?"
_HOOK_STATE: Final = """
    SELECT (SELECT max(line) FROM hook),
        (SELECT group_concat(id) FROM session WHERE session_id = ?2),
        (SELECT group_concat(id || ' ' || kept || ' ' || coalesce(last_line, 0)) FROM source
            WHERE session = ?1 AND kind = 'hook_log' AND NOT superseded)
"""
_FOREVER: Final = 2**62


class SqliteSessionEvents:
    """Asks about one session."""

    def __init__(self, readers: ReaderPool, project_id: str, session_id: str) -> None:
        self._readers, self._name = readers, (project_id, session_id)

    def hooks(self) -> list[HookRow]:
        """All records of hooks, oldest first."""
        return [HookRow(*row) for row in self._readers.every(_HOOKS, self._name)]

    @contextmanager
    def reading(self) -> Iterator["SqliteEventRows"]:
        """Every question within sees the index as it is at one moment."""
        with self._readers.take() as connection:
            connection.execute("BEGIN")
            try:
                yield SqliteEventRows(connection, *self._name)
            finally:
                connection.execute("COMMIT")


class SqliteEventRows:
    """The rows of one session at one moment."""

    def __init__(self, connection: apsw.Connection, project_id: str, session_id: str) -> None:
        self._connection, self._session_id = connection, session_id
        found = self._every(_NUMBER, (project_id, session_id))
        self._session = found[0][0] if found else -1

    def sources(self) -> list[TimelineSource]:
        """Its transcripts, each in its newest generation."""
        return [TimelineSource(*row) for row in self._every(_SOURCES, (self._session,))]

    def lines(
        self, source: TimelineSource, begin: int, end: int = _FOREVER, limit: int = -1
    ) -> list[LineEvent]:
        """The lines of a file that are events, from an offset on."""
        return [line_event(row) for row in self._every(_LINES, (source.number, begin, end, limit))]

    def line_ids(self, source: TimelineSource, begin: int) -> list[int]:
        """The numbers of all its lines, events or not, from an offset on."""
        return [id for (id,) in self._every(_LINE_IDS, (source.number, begin))]

    def lines_by_id(self, ids: Collection[int]) -> list[LineEvent]:
        """Some lines that are events, in no order."""
        return [line_event(row) for row in self._every(_LINES_BY_ID, (_array(ids),))] if ids else []

    def tools(self, source: TimelineSource) -> list[ToolLines]:
        """All calls of a file."""
        return [ToolLines(*row) for row in self._every(_TOOLS, (source.number,))]

    def tools_by_line(self, ids: Collection[int]) -> list[ToolLines]:
        """The calls that some lines make or answer."""
        if not ids:
            return []
        rows = self._every(_TOOLS_BY_LINE, (_array(ids), _array(ids)))
        return [ToolLines(*row) for row in rows]

    def line_of_call(self, tool_use_id: str, *, is_result: bool) -> int | None:
        """The first line that makes a call, or answers it."""
        ask = _LINE_OF_CALL.format("result" if is_result else "call")
        found = self._every(ask, (self._session, crc(tool_use_id), tool_use_id))
        return found[0][0] if found else None

    def tokens(self) -> TokenCounts:
        """The tokens of the session: what `tokens_by_line` adds up to once all lines are there."""
        ((i, o, c, r),) = self._every(_TOKENS, (self._session,))
        return i, o, c, r

    def tokens_by_line(self) -> dict[int, TokenCounts]:
        """The tokens of each line."""
        return token_counts(self._every(_TOKENS_BY_LINE, (self._session,)))

    def tokens_of(self, lines: Collection[int]) -> dict[int, TokenCounts]:
        """The tokens of some lines."""
        return (
            token_counts(self._every(_TOKENS_OF, (self._session, _array(lines)))) if lines else {}
        )

    def responses_of(self, lines: Collection[int]) -> dict[int, int]:
        """The responses that some lines tell of, and the lines that these are counted at."""
        return dict(self._every(_RESPONSES, (self._session, _array(lines)))) if lines else {}

    def hook_state(self) -> HookStamp:
        """What is other than before when the hooks are."""
        ((newest, *others),) = self._every(_HOOK_STATE, (self._session, self._session_id))
        return HookStamp(newest or 0, *(other or "" for other in others))

    def hook_count(self) -> int:
        """How many records hooks left."""
        return int(self._every(_HOOK_COUNT, (self._session,))[0][0])

    def hook_notes(self) -> list[HookNote]:
        """What a timeline has to know of all of them."""
        return [HookNote(*row) for row in self._every(_NOTES, (self._session,))]

    def new_hook_notes(self, after: int) -> list[HookNote]:
        """The same of those behind a line."""
        return [HookNote(*row) for row in self._every(_NEW_NOTES, (self._session, after))]

    def hooks_by_line(self, lines: Collection[int]) -> list[HookRow]:
        """Some of them whole."""
        if not lines:
            return []
        return [
            HookRow(*row) for row in self._every(_HOOKS_BY_LINE, (self._session, _array(lines)))
        ]

    def _every(self, ask: str, values: Row) -> list[Row]:
        clean = (plain(value) if isinstance(value, str) else value for value in values)
        return self._connection.execute(ask, tuple(clean)).fetchall()


def _array(ids: Collection[int]) -> object:
    return apsw.carray(array("q", ids))
