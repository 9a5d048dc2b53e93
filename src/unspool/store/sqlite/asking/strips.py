"""Sessions -> when their turns, calls, agents and compactions were."""

from collections.abc import Iterable, Iterator

from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.store.sqlite.connection import Readers, Row

_SESSION = "SELECT id FROM session WHERE (project_id, session_id) = (?, ?)"
# A turn lasts from its first line to its last; lines before the first prompt are in none.
_TURNS = """
    SELECT min(l.at), max(l.at) FROM source AS s JOIN line AS l ON l.source = s.id
    JOIN kind AS k ON k.id = l.kind
    WHERE s.session = ? AND s.kind = 'main' AND NOT s.superseded AND l.turn > 0
        AND k.type IN ('user', 'assistant')
    GROUP BY l.turn ORDER BY 1
"""
_CALLS = """
    SELECT l.at + c.called, a.at + c.answered, w.text = 'error', c.tool_use_id
    FROM source AS s JOIN tool AS c ON c.source = s.id JOIN line AS l ON l.id = c.call
    LEFT JOIN line AS a ON a.id = c.result LEFT JOIN word AS w ON w.id = c.state
    WHERE s.session = ? AND s.kind = 'main' AND NOT s.superseded AND l.at + c.called IS NOT NULL
    ORDER BY 1
"""
_AGENTS = """
    SELECT start_time, coalesce(end_time, start_time) FROM agent
    WHERE session = ? AND start_time IS NOT NULL ORDER BY 1
"""
_CUTS = """
    SELECT l.at FROM source AS s JOIN line AS l ON l.source = s.id JOIN kind AS k ON k.id = l.kind
    WHERE s.session = ? AND s.kind = 'main' AND NOT s.superseded
        AND k.subtype = 'compact_boundary' ORDER BY 1
"""
_WAITS = """
    SELECT tool_use_id, waited_ms FROM tool_calls
    WHERE (project_id, session_id) = (?, ?) AND waited_ms > 0
"""
_HOOKED = "SELECT 1 FROM hook WHERE session = ? AND tool_use_id <> '' LIMIT 1"


def strips(
    readers: Readers, keys: Iterable[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], ActivityStrip]]:
    """What is known of each session, by project and id; of one that is not, nothing comes."""
    for key in keys:
        found = readers.first(_SESSION, key)
        if found:
            yield key, _strip(readers, key, found)


def _strip(readers: Readers, key: tuple[str, str], id: Row) -> ActivityStrip:
    calls = readers.every(_CALLS, id)
    starts = {use: start for start, _, _, use in calls}
    waits = readers.every(_WAITS, key) if readers.first(_HOOKED, id) else []
    return ActivityStrip(
        turns=tuple(TimeSpan(*row) for row in readers.every(_TURNS, id)),
        calls=tuple(_call(*row) for row in calls),
        agents=tuple(TimeSpan(a, max(a, b)) for a, b in readers.every(_AGENTS, id)),
        waits=tuple(
            TimeSpan(starts[use], starts[use] + waited) for use, waited in waits if use in starts
        ),
        cuts=tuple(at for (at,) in readers.every(_CUTS, id)),
    )


def _call(start: int, end: int | None, failed: int | None, _: str) -> CallSpan:
    return CallSpan(start, max(start, end or start), bool(failed))
