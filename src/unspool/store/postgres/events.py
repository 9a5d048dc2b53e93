"""The rows that the timeline of a session is made from."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, Final

from unspool.model.live import (
    HookNote,
    HookStamp,
    LineEvent,
    TimelineSource,
    TokenCounts,
    ToolLines,
)
from unspool.model.rows import HookRow
from unspool.store.postgres.database import Connection, Database, Row
from unspool.store.sql_rows import line_event, token_counts

_SESSION: Final = """
    SELECT e.session, coalesce(min(s.first_at), 0), coalesce(max(s.last_at), 0)
    FROM session AS e LEFT JOIN source AS s ON s.owner = e.owner AND s.session = e.session
    WHERE e.owner = ANY(%(visible)s)
        AND (e.project_id, e.session_id) = (%(project_id)s, %(session_id)s)
    GROUP BY e.session
"""
_FILES: Final = """
    s.owner = ANY(%(visible)s) AND s.session = %(session)s AND NOT s.superseded
    AND s.kind NOT IN ('hook_log', 'spool')
"""
_SOURCES: Final = f"""
    SELECT s.source, s.source_id, s.generation, s."offset", s.kept, s.last_line FROM source AS s
    WHERE {_FILES} ORDER BY s.source_id
"""  # noqa: S608
# The times of its lines are known: no other partition is looked at.
_TIMED: Final = "l.owner = ANY(%(visible)s) AND l.at BETWEEN %(first_at)s AND %(last_at)s"
_LINE: Final = f"""
    SELECT s.source_id, s.generation, l."offset", l.length, l.line, l.timestamp,
        l.at, k.event_type, coalesce(nullif(k.agent_id, ''), s.agent_id),
        coalesce(l.uuid::text, l.odd_uuid, '')
    FROM line AS l JOIN source AS s ON s.owner = l.owner AND s.source = l.source
    JOIN kind AS k ON k.owner = l.owner AND k.kind = l.kind
    WHERE {_TIMED} AND k.event_type <> '' AND NOT s.superseded
"""  # noqa: S608
_LINES: Final = f"""{_LINE} AND l.source = %(source)s AND l."offset" >= %(begin)s
    AND l."offset" < %(end)s ORDER BY l."offset" LIMIT %(limit)s
"""
_LINES_BY_ID: Final = f"""{_LINE} AND l.line = ANY(%(ids)s::bigint[]) ORDER BY l.line"""
_LINE_IDS: Final = f"""
    SELECT l.line FROM line AS l WHERE {_TIMED} AND l.source = %(source)s
        AND l."offset" >= %(begin)s ORDER BY l."offset"
"""  # noqa: S608
_TOOL: Final = """
    SELECT t.tool, t.tool_use_id, coalesce(t.name, ''), t.call, t.result, t.stamp FROM tool AS t
    WHERE t.owner = ANY(%(visible)s)
"""
_TOOLS: Final = f"{_TOOL} AND t.source = %(source)s ORDER BY t.tool"
_TOOLS_BY_LINE: Final = f"""{_TOOL} AND (
    t.call = ANY(%(ids)s::bigint[]) OR t.result = ANY(%(ids)s::bigint[])) ORDER BY t.tool
"""
_LINE_OF_CALL: Final = f"""
    SELECT l.line FROM source AS s
    JOIN tool AS t ON t.owner = s.owner AND t.source = s.source
    JOIN line AS l ON l.owner = t.owner AND l.line = t.{{0}} AND l.at = t.{{0}}_at
    JOIN kind AS k ON k.owner = l.owner AND k.kind = l.kind
    WHERE {_FILES} AND t.tool_use_id = %(tool_use_id)s AND k.event_type <> ''
    ORDER BY l.at, s.source_id, l."offset" LIMIT 1
"""  # noqa: S608
_TOKENS: Final = """
    SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
        coalesce(sum(cache_creation_tokens), 0), coalesce(sum(cache_read_tokens), 0)
    FROM total WHERE owner = ANY(%(visible)s) AND session = %(session)s
"""
_TOKENS_BY_LINE: Final = """
    SELECT line, sum(input_tokens), sum(output_tokens), sum(cache_creation_tokens),
        sum(cache_read_tokens)
    FROM response
    WHERE owner = ANY(%(visible)s) AND session = %(session)s AND line IS NOT NULL AND is_used {}
    GROUP BY line ORDER BY line
"""
# A response counts where it was told first: later lines of it change the tokens of an earlier one.
_RESPONSES: Final = f"""
    SELECT DISTINCT r.response, r.line
    FROM line AS l JOIN response AS r ON r.owner = l.owner
        AND r.message_key = coalesce('m:' || l.message_id, 'r:' || l.request_id)
    WHERE {_TIMED} AND l.line = ANY(%(ids)s::bigint[]) AND r.session = %(session)s
        AND r.line IS NOT NULL
"""  # noqa: S608
_HOOK: Final = """
    SELECT h.event_id, h.timestamp, h.event_type, h.tool_use_id, h.tool_name, h.decision,
        h.handler_results, h.input, h.agent_id, h.duration_ms, h.origin, h.line, e.session_id,
        e.project_id, h.print, h.uuid, h.key
    FROM session AS e JOIN hook AS h ON h.owner = e.owner AND h.session = e.session
    WHERE e.owner = ANY(%(visible)s)
"""
_HOOKS: Final = f"""{_HOOK}
    AND (e.project_id, e.session_id) = (%(project_id)s, %(session_id)s)
    ORDER BY coalesce(h.timestamp, 0), h.line
"""
_HOOKS_BY_LINE: Final = f"""{_HOOK}
    AND e.session = %(session)s AND h.line = ANY(%(ids)s::bigint[]) ORDER BY h.line
"""
_NOTES: Final = """
    SELECT h.line, h.timestamp, h.event_type, h.tool_use_id, h.tool_name, h.agent_id,
        h.duration_ms, h.key, h.event_id,
        CASE WHEN h.event_type = 'user_prompt_submit' THEN h.input ELSE '' END
    FROM hook AS h WHERE h.owner = ANY(%(visible)s) AND h.session = %(session)s {}
    ORDER BY coalesce(h.timestamp, 0), h.line
"""
_HOOK_COUNT: Final = """
    SELECT count(*) FROM hook WHERE owner = ANY(%(visible)s) AND session = %(session)s
"""
_HOOK_STATE: Final = """
    SELECT (SELECT coalesce(max(line), 0) FROM hook WHERE owner = ANY(%(visible)s)),
        (SELECT coalesce(string_agg(session::text, ',' ORDER BY session), '') FROM session
            WHERE owner = ANY(%(visible)s) AND session_id = %(session_id)s),
        (SELECT coalesce(string_agg(concat_ws(' ', source, kept, last_line), ','
                ORDER BY source), '') FROM source
            WHERE owner = ANY(%(visible)s) AND session = %(session)s AND kind = 'hook_log'
                AND NOT superseded)
"""
_FOREVER: Final = 2**62


class PostgresSessionEvents:
    """Asks about one session."""

    def __init__(self, database: Database, project_id: str, session_id: str) -> None:
        self._database = database
        self._name = {"project_id": project_id, "session_id": session_id}

    def hooks(self) -> list[HookRow]:
        """All records of hooks, oldest first."""
        return [HookRow(*row) for row in self._database.every(_HOOKS, **self._name)]

    @contextmanager
    def reading(self) -> Iterator["PostgresEventRows"]:
        """Every question within sees the index as it is at one moment."""
        with self._database.moment() as connection:
            yield PostgresEventRows(self._database, connection, self._name)


class PostgresEventRows:
    """The rows of one session at one moment."""

    def __init__(self, database: Database, connection: Connection, name: dict[str, str]) -> None:
        self._database, self._connection = database, connection
        found = database.ask(connection, _SESSION, **name)
        session, first, last = found[0] if found else (-1, 0, 0)
        self._of = {"session": session, "session_id": name["session_id"]}
        self._times = {"first_at": first, "last_at": last}

    def sources(self) -> list[TimelineSource]:
        """Its transcripts, each in its newest generation."""
        return [TimelineSource(*row) for row in self._every(_SOURCES)]

    def lines(
        self, source: TimelineSource, begin: int, end: int = _FOREVER, limit: int = -1
    ) -> list[LineEvent]:
        """The lines of a file that are events, from an offset on."""
        span = {"begin": begin, "end": end, "limit": None if limit < 0 else limit}
        return [line_event(row) for row in self._every(_LINES, source=source.number, **span)]

    def line_ids(self, source: TimelineSource, begin: int) -> list[int]:
        """The numbers of all its lines, events or not, from an offset on."""
        return [id for (id,) in self._every(_LINE_IDS, source=source.number, begin=begin)]

    def lines_by_id(self, ids: Collection[int]) -> list[LineEvent]:
        """Some lines that are events."""
        return [line_event(row) for row in self._every(_LINES_BY_ID, ids=ids)] if ids else []

    def tools(self, source: TimelineSource) -> list[ToolLines]:
        """All calls of a file."""
        return [ToolLines(*row) for row in self._every(_TOOLS, source=source.number)]

    def tools_by_line(self, ids: Collection[int]) -> list[ToolLines]:
        """The calls that some lines make or answer."""
        return [ToolLines(*row) for row in self._every(_TOOLS_BY_LINE, ids=ids)] if ids else []

    def line_of_call(self, tool_use_id: str, *, is_result: bool) -> int | None:
        """The first line that makes a call, or answers it."""
        ask = _LINE_OF_CALL.format("result" if is_result else "call")
        found = self._every(ask, tool_use_id=tool_use_id)
        return found[0][0] if found else None

    def tokens(self) -> TokenCounts:
        """The tokens of the session: what `tokens_by_line` adds up to once all lines are there."""
        ((i, o, c, r),) = self._every(_TOKENS)
        return i, o, c, r

    def tokens_by_line(self) -> dict[int, TokenCounts]:
        """The tokens of each line."""
        return token_counts(self._every(_TOKENS_BY_LINE.format("")))

    def tokens_of(self, lines: Collection[int]) -> dict[int, TokenCounts]:
        """The tokens of some lines."""
        ask = _TOKENS_BY_LINE.format("AND line = ANY(%(ids)s::bigint[])")
        return token_counts(self._every(ask, ids=lines)) if lines else {}

    def responses_of(self, lines: Collection[int]) -> dict[int, int]:
        """The responses that some lines tell of, and the lines that these are counted at."""
        rows = self._every(_RESPONSES, ids=lines) if lines else []
        return {response: line for response, line in rows}

    def hook_state(self) -> HookStamp:
        """What is other than before when the hooks are."""
        return HookStamp(*self._every(_HOOK_STATE)[0])

    def hook_count(self) -> int:
        """How many records hooks left."""
        return int(self._every(_HOOK_COUNT)[0][0])

    def hook_notes(self) -> list[HookNote]:
        """What a timeline has to know of all of them."""
        return [HookNote(*row) for row in self._every(_NOTES.format(""))]

    def new_hook_notes(self, after: int) -> list[HookNote]:
        """The same of those behind a line."""
        rows = self._every(_NOTES.format("AND h.line > %(after)s"), after=after)
        return [HookNote(*row) for row in rows]

    def hooks_by_line(self, lines: Collection[int]) -> list[HookRow]:
        """Some of them whole."""
        return [HookRow(*row) for row in self._every(_HOOKS_BY_LINE, ids=lines)] if lines else []

    def _every(self, ask: str, **values: Any) -> list[Row]:
        given = {name: list(value) if name == "ids" else value for name, value in values.items()}
        return self._database.ask(self._connection, ask, **self._of, **self._times, **given)
