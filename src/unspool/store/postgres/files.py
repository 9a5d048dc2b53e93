"""The files that were read: how far, which lines they have, and what is odd in them."""

from typing import Any, Final

import msgspec

from unspool.model.files import TailState
from unspool.model.query import BadLinePlace, LineLocation, OddityCount, SessionKey
from unspool.model.rows import SourceRow
from unspool.store.contract import MESSAGE_TYPES
from unspool.store.postgres.database import Database

_SOURCE: Final = [name for name in SourceRow.__struct_fields__ if name != "tail"] + ["tail"]
_SOURCES: Final = """
    SELECT s.source_id, s.root, s.path, s.kind, e.project_id, e.session_id, s.agent_id,
        s.generation, s."offset", s.lines, s.size, s.mtime_ns, s.gone_at, s.tail
    FROM source AS s JOIN session AS e ON e.owner = s.owner AND e.session = s.session
    WHERE s.owner = ANY(%(visible)s) AND NOT s.superseded {} ORDER BY s.source_id
"""
_NAMED: Final = "AND (e.project_id, e.session_id) = (%(project_id)s, %(session_id)s)"
# From one root to the next, without going through all files.
_ROOTS: Final = """
    WITH RECURSIVE each (owner, root) AS (
        SELECT o.owner, (
            SELECT min(s.root) FROM source AS s WHERE s.owner = o.owner AND NOT s.superseded)
        FROM unnest(%(visible)s::int[]) AS o (owner)
        UNION ALL
        SELECT each.owner, (
            SELECT min(s.root) FROM source AS s
            WHERE s.owner = each.owner AND NOT s.superseded AND s.root > each.root)
        FROM each WHERE each.root IS NOT NULL
    )
    SELECT DISTINCT root FROM each WHERE root IS NOT NULL ORDER BY 1
"""
_STATES: Final = """
    SELECT root, path, size, mtime_ns FROM source
    WHERE owner = ANY(%(visible)s) AND gone_at IS NULL AND NOT superseded ORDER BY source_id
"""
_LINE: Final = """
    SELECT l.length, e.project_id, e.session_id, coalesce(nullif(k.agent_id, ''), s.agent_id),
        s.root
    FROM source AS s JOIN session AS e ON e.owner = s.owner AND e.session = s.session
    JOIN line AS l ON l.owner = s.owner AND l.source = s.source
        AND l.at BETWEEN s.first_at AND s.last_at
    JOIN kind AS k ON k.owner = l.owner AND k.kind = l.kind
    WHERE s.owner = ANY(%(visible)s) AND s.source_id = %(source_id)s
        AND s.generation = %(generation)s AND l."offset" = %(offset)s
"""
_COUNTS: Final = """
    SELECT s.source_id, s.generation, count(DISTINCT one.number) FROM source AS s JOIN (
        SELECT owner, source, "offset", number FROM line WHERE owner = ANY(%(visible)s)
        UNION ALL
        SELECT owner, source, "offset", number FROM bad WHERE owner = ANY(%(visible)s)
    ) AS one ON one.owner = s.owner AND one.source = s.source
    WHERE s.owner = ANY(%(visible)s) AND NOT s.superseded AND one."offset" < s."offset"
    GROUP BY s.source_id, s.generation
"""
_BAD: Final = """
    SELECT s.root, s.path, b.number, b.reason
    FROM bad AS b JOIN source AS s ON s.owner = b.owner AND s.source = b.source
    WHERE b.owner = ANY(%(visible)s) AND NOT s.superseded
    ORDER BY s.mtime_ns DESC, s.root, s.path, b.number LIMIT %(limit)s
"""
_ODDITIES: Final = """
    SELECT version, what, name, sum(count) FROM oddity WHERE owner = ANY(%(visible)s)
    GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT %(limit)s
"""
_FACTS: Final = """
    SELECT s.source_id, s.facts
    FROM source AS s JOIN session AS e ON e.owner = s.owner AND e.session = s.session
    WHERE e.owner = ANY(%(visible)s) AND NOT s.superseded AND length(s.facts) > 0
        AND (e.project_id, e.session_id) = (%(project_id)s, %(session_id)s)
"""
_FOLD: Final = """
    SELECT f."offset", f.state
    FROM source AS s JOIN fold AS f ON f.owner = s.owner AND f.source = s.source
    WHERE s.owner = ANY(%(visible)s) AND s.source_id = %(source_id)s
        AND s.generation = %(generation)s
"""
_UUIDS: Final = """
    SELECT coalesce(l.uuid::text, l.odd_uuid), k.agent_id
    FROM source AS s JOIN line AS l ON l.owner = s.owner AND l.source = s.source
        AND l.at BETWEEN s.first_at AND s.last_at
    JOIN kind AS k ON k.owner = l.owner AND k.kind = l.kind
    WHERE s.owner = ANY(%(visible)s) AND s.source_id = %(source_id)s
        AND s.generation = %(generation)s AND l."offset" < %(end)s
        AND coalesce(l.uuid::text, l.odd_uuid) IS NOT NULL AND k.type = ANY(%(types)s)
    ORDER BY l."offset"
"""
_LARGEST: Final = 2**63 - 1


class FileReader(Database):
    """Answers about files."""

    def sources(self) -> list[SourceRow]:
        """Every file in its newest generation."""
        return self._sources("")

    def spools(self) -> list[SourceRow]:
        """The spool's files among them."""
        return self._sources("AND s.kind = 'spool'")

    def source(self, source_id: int) -> SourceRow | None:
        """One file in its newest generation; no two owners have sources of one number."""
        found = self._sources("AND s.source_id = %(source_id)s", source_id=source_id)
        return next(iter(found), None)

    def sources_of(self, project_id: str, session_id: str) -> list[SourceRow]:
        """The files of one session."""
        return self._sources(_NAMED, project_id=project_id, session_id=session_id)

    def _sources(self, which: str, **values: Any) -> list[SourceRow]:
        return [
            SourceRow(**dict(zip(_SOURCE, (*row, tail_state(tail)), strict=True)))
            for *row, tail in self.every(_SOURCES.format(which), **values)
        ]

    def roots(self) -> list[str]:
        """The roots that files are of."""
        return [root for (root,) in self.every(_ROOTS)]

    def file_states(self) -> list[tuple[str, str, int, int]]:
        """Root, path, size and mtime_ns of every file that is not gone."""
        return [(root, path, size, at) for root, path, size, at in self.every(_STATES)]

    def line_at(self, source_id: int, generation: int, offset: int) -> LineLocation | None:
        """The line that begins at a place."""
        if max(source_id, generation, offset) > _LARGEST:
            return None
        place = {"source_id": source_id, "generation": generation, "offset": offset}
        row = self.first(_LINE, **place)
        return LineLocation(*row) if row else None

    def line_counts(self) -> dict[tuple[int, int], int]:
        """How many lines before its checkpoint each source has, good and bad."""
        rows = self.every(_COUNTS)
        return {(source, generation): count for source, generation, count in rows}

    def bad_lines(self, *, limit: int) -> list[BadLinePlace]:
        """Lines that could not be read, those of the last written files first."""
        return [BadLinePlace(*row) for row in self.every(_BAD, limit=limit)]

    def oddities(self, *, limit: int) -> list[OddityCount]:
        """What is unknown to this version, most frequent first."""
        return [OddityCount(*row) for row in self.every(_ODDITIES, limit=limit)]

    def facts(self, project_id: str, session_id: str) -> dict[int, bytes]:
        """What linking needs of each source of a session."""
        rows = self.every(_FACTS, project_id=project_id, session_id=session_id)
        return {source: facts for source, facts in rows}

    def fold_state(self, source_id: int, generation: int) -> tuple[int, bytes] | None:
        """The last state of a fold, and the offset it is of."""
        row = self.first(_FOLD, source_id=source_id, generation=generation)
        return None if row is None else (row[0], row[1])

    def message_uuids(self, source_id: int, generation: int, end: int) -> list[SessionKey]:
        """The uuid of each message before an offset, and the agent of one that is inline."""
        place = {"source_id": source_id, "generation": generation, "end": end}
        rows = self.every(_UUIDS, types=sorted(MESSAGE_TYPES), **place)
        return [(uuid, agent) for uuid, agent in rows]


def tail_state(packed: bytes) -> TailState:
    """What proves that a file is still the one that was read."""
    return msgspec.msgpack.decode(packed, type=TailState) if packed else TailState()
