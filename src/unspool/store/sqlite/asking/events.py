"""What the timeline of one session is made of, asked for as it grows."""

from typing import Final, NamedTuple

from unspool.model.live import EventPosition, LineEvent, TokenCounts
from unspool.model.rows import HookRow
from unspool.store.sqlite.connection import Readers

_SOURCES: Final = """
    SELECT s.id, s.source_id, s.generation, s."offset", s.kept, s.last_line
    FROM session AS e JOIN source AS s ON s.session = e.id
    WHERE (e.project_id, e.session_id) = (?, ?) AND NOT s.superseded
        AND s.kind NOT IN ('hook_log', 'spool')
"""
_LINES: Final = """
    SELECT s.source_id, s.generation, l."offset", l.length, l.id, l.at + l.moment,
        l.at + coalesce(l.moment, 0), k.event_type, coalesce(nullif(k.agent_id, ''), s.agent_id),
        uuid_text(l.uuid)
    FROM source AS s JOIN line AS l ON l.source = s.id JOIN kind AS k ON k.id = l.kind
    WHERE s.id = ? AND l."offset" >= ? AND k.event_type <> '' ORDER BY l."offset"
"""
_TOOLS: Final = """
    SELECT t.id, t.tool_use_id, coalesce(w.text, ''), t.call, t.result
    FROM session AS e JOIN source AS s ON s.session = e.id JOIN tool AS t ON t.source = s.id
    LEFT JOIN word AS w ON w.id = t.name
    WHERE (e.project_id, e.session_id) = (?, ?)
"""
# What is new is found by the numbers of its lines, whichever session they are of.
_NEW_TOOLS: Final = """
    SELECT t.id, t.tool_use_id, coalesce(w.text, ''), t.call, t.result
    FROM tool AS t CROSS JOIN source AS s ON s.id = t.source
    CROSS JOIN session AS e ON e.id = s.session LEFT JOIN word AS w ON w.id = t.name
    WHERE (e.project_id, e.session_id) = (?1, ?2)
        AND (t.call BETWEEN ?3 AND ?4 OR t.result BETWEEN ?3 AND ?4)
"""
_TOKENS: Final = """
    SELECT coalesce(sum(t.input_tokens), 0), coalesce(sum(t.output_tokens), 0),
        coalesce(sum(t.cache_creation_tokens), 0), coalesce(sum(t.cache_read_tokens), 0)
    FROM session AS e JOIN total AS t ON t.session = e.id
    WHERE (e.project_id, e.session_id) = (?, ?)
"""
_TOKENS_BY_LINE: Final = """
    SELECT r.line, sum(r.input_tokens), sum(r.output_tokens), sum(r.cache_creation_tokens),
        sum(r.cache_read_tokens)
    FROM session AS e JOIN response AS r ON r.session = e.id
    WHERE (e.project_id, e.session_id) = (?, ?) AND r.line IS NOT NULL GROUP BY r.line
"""
HOOKS: Final = """
    SELECT h.event_id, h.timestamp, event.text, h.tool_use_id, tool.text, decision.text,
        inflated(h.handler_results), inflated(h.input), agent.text, h.duration_ms, origin.text,
        h.line, e.session_id, e.project_id, h.print, h.uuid, h.key
    FROM session AS e JOIN hook AS h ON h.session = e.id
    JOIN word AS event ON event.id = h.event_type
    JOIN word AS tool ON tool.id = h.tool_name
    JOIN word AS decision ON decision.id = h.decision
    JOIN word AS agent ON agent.id = h.agent
    JOIN word AS origin ON origin.id = h.source
    WHERE (e.project_id, e.session_id) = (?, ?) AND h.line > ?
    ORDER BY coalesce(h.timestamp, 0), h.line
"""
_HOOK_COUNT: Final = """
    SELECT count(*), coalesce(max(h.line), 0)
    FROM session AS e JOIN hook AS h ON h.session = e.id
    WHERE (e.project_id, e.session_id) = (?, ?)
"""


class Source(NamedTuple):
    """A file of the session, which of its lives it is in, and how far it was taken in.

    Behind its end there may be a last line that is not finished, and may be another tomorrow.
    """

    number: int
    source_id: int
    generation: int
    end: int
    lines: int
    last_line: int | None


class ToolLines(NamedTuple):
    """What one file says of a call: the numbers of its lines."""

    number: int
    tool_use_id: str
    name: str
    call: int | None
    result: int | None


class SessionEvents:
    """Asks about one session."""

    def __init__(self, readers: Readers, project_id: str, session_id: str) -> None:
        self._readers, self._name = readers, (project_id, session_id)

    def sources(self) -> list[Source]:
        """Its transcripts, each in its newest generation."""
        return [Source(*row) for row in self._readers.every(_SOURCES, self._name)]

    def lines(self, source: Source, begin: int) -> list[LineEvent]:
        """The lines of a file that are events, from an offset on."""
        return [
            LineEvent(
                place=EventPosition(*place),
                length=length,
                line_id=id,
                at=at,
                order=order,
                event_type=type,
                agent_id=agent,
                uuid=uuid,
            )
            for *place, length, id, at, order, type, agent, uuid in self._readers.every(
                _LINES, (source.number, begin)
            )
        ]

    def tools(self, lines: tuple[int, int] | None = None) -> list[ToolLines]:
        """All calls, or those that the lines from one number to another tell of."""
        ask, values = (_NEW_TOOLS, (*self._name, *lines)) if lines else (_TOOLS, self._name)
        return [ToolLines(*row) for row in self._readers.every(ask, values)]

    def tokens(self) -> TokenCounts:
        """The tokens of the session: what `tokens_by_line` adds up to once all lines are there."""
        i, o, c, r = self._readers.first(_TOKENS, self._name) or (0, 0, 0, 0)
        return i, o, c, r

    def tokens_by_line(self) -> dict[int, TokenCounts]:
        """The tokens of each line."""
        rows = self._readers.every(_TOKENS_BY_LINE, self._name)
        return {line: (i, o, c, r) for line, i, o, c, r in rows}

    def hook_count(self) -> tuple[int, int]:
        """How many rows hooks left, and the number of the last."""
        count, last = self._readers.first(_HOOK_COUNT, self._name) or (0, 0)
        return count, last

    def hooks(self, after: int = -1) -> list[HookRow]:
        """What hooks told, oldest first, from behind a line on."""
        return [HookRow(*row) for row in self._readers.every(HOOKS, (*self._name, after))]
