"""Questions -> answers from the index, each on a connection that cannot write."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import structs

from unspool.model.api import Marks
from unspool.model.files import TailState
from unspool.model.health import StoreStatus
from unspool.model.query import (
    Change,
    LineLocation,
    ModelUsage,
    SessionKey,
    SessionListing,
    SessionQuery,
)
from unspool.model.rows import SessionRow, SourceRow
from unspool.store.contract import MESSAGE_TYPES
from unspool.store.sqlite.connection import ReaderPool, Row
from unspool.store.sqlite.functions import uuid_text
from unspool.store.sqlite.totals import in_projects, in_scope
from unspool.store.sqlite.writing.writer import HEAD

_SOURCE = [name for name in SourceRow.__struct_fields__ if name != "tail"] + ["tail"]
_SOURCES = """
    SELECT s.source_id, s.root, s.path, s.kind, e.project_id, e.session_id, s.agent_id,
        s.generation, s."offset", s.lines, s.size, s.mtime_ns, s.gone_at, s.tail
    FROM source AS s JOIN session AS e ON e.id = s.session
    WHERE NOT s.superseded {0} ORDER BY s.source_id
"""
_FOLD = """
    SELECT f."offset", f.state FROM fold AS f JOIN source AS s ON s.id = f.source
    WHERE (s.source_id, s.generation) = (?, ?)
"""
_UUIDS = f"""
    SELECT l.uuid, k.agent_id FROM line AS l JOIN kind AS k ON k.id = l.kind
    WHERE l.source = (SELECT id FROM source WHERE (source_id, generation) = (?, ?))
        AND l."offset" < ? AND l.uuid IS NOT NULL
        AND k.type IN ({", ".join(f"'{name}'" for name in sorted(MESSAGE_TYPES))})
    ORDER BY l."offset"
"""  # noqa: S608
_FACTS = """
    SELECT s.source_id, s.facts FROM source AS s JOIN session AS e ON e.id = s.session
    WHERE (e.project_id, e.session_id) = (?, ?) AND NOT s.superseded AND s.facts <> x''
"""
_TIMES = """
    SELECT coalesce(h.timestamp, 0) FROM session AS e JOIN hook AS h ON h.session = e.id
    WHERE e.session_id = ? AND h.key = ? ORDER BY 1
"""
_LINE = """
    SELECT l.length, e.project_id, e.session_id, coalesce(nullif(k.agent_id, ''), s.agent_id),
        s.root
    FROM source AS s JOIN line AS l ON l.source = s.id AND l."offset" = ?
    JOIN session AS e ON e.id = s.session JOIN kind AS k ON k.id = l.kind
    WHERE (s.source_id, s.generation) = (?, ?)
"""
# From one root to the next, without going through all files.
_ROOTS = """
    WITH RECURSIVE each (root) AS (
        SELECT min(root) FROM source WHERE NOT superseded
        UNION ALL
        SELECT (SELECT min(root) FROM source WHERE NOT superseded AND root > each.root) FROM each
        WHERE root IS NOT NULL
    )
    SELECT root FROM each WHERE root IS NOT NULL
"""
# From one to the next, here too.
_PROJECTS = """
    WITH RECURSIVE each (id) AS (
        SELECT min(project_id) FROM session WHERE project_id > ''
        UNION ALL
        SELECT (SELECT min(project_id) FROM session WHERE project_id > each.id) FROM each
        WHERE id IS NOT NULL
    )
    SELECT id FROM each WHERE id IS NOT NULL
"""
_LARGEST = 2**63 - 1
_COLUMNS = SessionRow.__struct_fields__
_NEWEST = "coalesce(e.last_activity, 0)"


_SESSIONS = f"""
    SELECT {", ".join(f"e.{name}" for name in _COLUMNS)},
        (SELECT coalesce(sum(events), 0) FROM source WHERE session = e.id AND NOT superseded),
        (SELECT coalesce(sum(calls), 0) FROM source WHERE session = e.id AND NOT superseded),
        (SELECT count(*) FROM hook WHERE session = e.id), m.size, m.tail, (
            SELECT coalesce(
                min(gone_at IS NOT NULL) FILTER (WHERE kind = 'main'), min(gone_at IS NOT NULL), 0
            ) FROM source WHERE session = e.id AND NOT superseded)
    FROM session AS e LEFT JOIN source AS m ON m.id = (
        SELECT id FROM source WHERE session = e.id AND kind = 'main' AND NOT superseded LIMIT 1
    )
    WHERE {{0}} ORDER BY {_NEWEST} DESC, e.session_id DESC, e.project_id DESC LIMIT ?
"""  # noqa: S608
_USAGE = """
    SELECT e.project_id, e.session_id, t.model, m.text, sum(t.input_tokens), sum(t.output_tokens),
        sum(t.cache_read_tokens), sum(t.cache_creation_tokens), sum(t.usd_pico), sum(t.unpriced),
        sum(t.lower_bound), e.id
    FROM json_each(?) AS n JOIN session AS e
        ON (e.project_id, e.session_id) = (n.value ->> 0, n.value ->> 1)
    JOIN total AS t ON t.session = e.id JOIN word AS m ON m.id = t.model
    GROUP BY e.id, t.model
"""
_CACHED = """
    SELECT session, model, sum(cache_creation_5m), sum(cache_creation_1h) FROM response
    WHERE session IN (SELECT value FROM json_each(?)) GROUP BY session, model
"""
_AGENTS = """
    SELECT e.project_id, e.session_id, a.facts
    FROM json_each(?) AS n JOIN session AS e
        ON (e.project_id, e.session_id) = (n.value ->> 0, n.value ->> 1)
    JOIN agent AS a ON a.session = e.id
"""
_RELATED = """
    SELECT DISTINCT e.transcript_path FROM json_each(?) AS n JOIN tie AS t ON t.tie = n.value
    JOIN session AS e ON e.id = t.session WHERE e.transcript_path <> '' ORDER BY 1
"""
_CHANGES = "SELECT * FROM changes WHERE seq > ? ORDER BY seq LIMIT ?"
_STATUS = {
    "lines": "SELECT sum(kept) FROM source WHERE NOT superseded",
    "superseded": "SELECT sum(kept) FROM source WHERE superseded",
    "bad_lines": "SELECT sum(bad) FROM source WHERE NOT superseded",
    "sessions": "SELECT count(*) FROM session",
    "hook_events": "SELECT count(*) FROM hook",
    "hook_files": "SELECT count(*) FROM source"
    " WHERE kind IN ('hook_log', 'spool') AND NOT superseded",
    "sources": "SELECT count(*) FROM source WHERE NOT superseded",
    "gone": "SELECT count(*) FROM source WHERE gone_at IS NOT NULL AND NOT superseded",
    "seq": HEAD,
}


class Reader:
    """Answers about sources, sessions, money and the feed."""

    def __init__(self, readers: ReaderPool) -> None:
        self._readers = readers

    def sources(self) -> list[SourceRow]:
        """Every file in its newest generation."""
        return self._sources("")

    def spools(self) -> list[SourceRow]:
        """The spool's files among them."""
        return self._sources("AND s.kind = 'spool'")

    def source(self, source_id: int) -> SourceRow | None:
        """One file in its newest generation."""
        return next(iter(self._sources("AND s.source_id = ?", source_id)), None)

    def sources_of(self, project_id: str, session_id: str) -> list[SourceRow]:
        """The files of one session."""
        which = "AND (e.project_id, e.session_id) = (?, ?)"
        return self._sources(which, project_id, session_id)

    def _sources(self, which: str, *values: int | str) -> list[SourceRow]:
        return [
            SourceRow(**dict(zip(_SOURCE, (*row, _tail(tail)), strict=True)))
            for *row, tail in self._readers.every(_SOURCES.format(which), values)
        ]

    def roots(self) -> list[str]:
        """The roots that files are of."""
        return [root for (root,) in self._readers.every(_ROOTS)]

    def line_at(self, source_id: int, generation: int, offset: int) -> LineLocation | None:
        """The line that begins at a place."""
        if max(source_id, generation, offset) > _LARGEST:
            return None
        row = self._readers.first(_LINE, (offset, source_id, generation))
        return LineLocation(*row) if row else None

    def facts(self, project_id: str, session_id: str) -> dict[int, bytes]:
        """What linking needs of each source of a session."""
        return {
            source: facts for source, facts in self._readers.every(_FACTS, (project_id, session_id))
        }

    def fold_state(self, source_id: int, generation: int) -> tuple[int, bytes] | None:
        """The last state of a fold, and the offset it is of."""
        for offset, state in self._readers.every(_FOLD, (source_id, generation)):
            return offset, state
        return None

    def message_uuids(self, source_id: int, generation: int, end: int) -> list[tuple[str, str]]:
        """The uuid of each message before an offset, and the agent of one that is inline."""
        found = self._readers.every(_UUIDS, (source_id, generation, end))
        return [(uuid_text(uuid), agent) for uuid, agent in found]

    def hook_times(self, session_id: str, key: str) -> list[int]:
        """When records of one key are, whichever project the session is of."""
        return [at for (at,) in self._readers.every(_TIMES, (session_id, key))]

    def hook_sessions(self) -> list[tuple[str, str]]:
        """Project and id of the sessions that only hooks tell of."""
        ask = "SELECT project_id, session_id FROM session WHERE origin = 'hook' ORDER BY 1, 2"
        return list(self._readers.every(ask))

    def unlinked(self) -> list[tuple[str, str]]:
        """Sessions that have new facts since their agents were put."""
        ask = "SELECT project_id, session_id FROM session WHERE is_unlinked"
        return [(project_id, session_id) for project_id, session_id in self._readers.every(ask)]

    def prices(self) -> str:
        """The name of the table the ledger was last priced by, or ''."""
        found = self._readers.first("SELECT value FROM meta WHERE name = 'prices'")
        return found[0] if found else ""

    def sessions(
        self, query: SessionQuery, marks: Mapping[SessionKey, Marks]
    ) -> list[SessionListing]:
        """Sessions, newest activity first; a title that the user gave goes before all others."""
        where, values = _asked(query)
        rows = self._readers.every(_SESSIONS.format(where), (*values, query.limit))
        return [_titled(_listing(row), marks) for row in rows]

    def usage_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[ModelUsage]]:
        """What some sessions own, by model."""
        rows = self._readers.every(_USAGE, (_json(names),))
        written = {
            (session, model): counts
            for session, model, *counts in self._readers.every(
                _CACHED, (_json({row[-1] for row in rows if row[7]}),)
            )
        }
        found: dict[SessionKey, list[ModelUsage]] = {}
        for project_id, session_id, number, model, *sums, session in rows:
            cached = written.get((session, number), (0, 0))
            usage = ModelUsage(model, *sums[:4], *cached, *sums[4:])
            found.setdefault((project_id, session_id), []).append(usage)
        return found

    def agents_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[bytes]]:
        """What is known of the agents of some sessions, packed."""
        found: dict[SessionKey, list[bytes]] = {}
        for project_id, session_id, facts in self._readers.every(_AGENTS, (_json(names),)):
            found.setdefault((project_id, session_id), []).append(facts)
        return found

    def project_ids(self) -> list[str]:
        """Every project, by id."""
        return [id for (id,) in self._readers.every(_PROJECTS)]

    def related(self, ties: Collection[int]) -> list[str]:
        """The transcripts of sessions that have one of these ties."""
        return [path for (path,) in self._readers.every(_RELATED, (_json(ties),))]

    def changes(self, after: int, limit: int) -> list[Change]:
        """The feed since `after`."""
        return [Change(*row) for row in self._readers.every(_CHANGES, (after, limit))]

    def head(self) -> int:
        """The newest seq, or 0."""
        found = self._readers.first(HEAD)
        return found[0] or 0 if found else 0

    def status(self) -> StoreStatus:
        """Counts; sizes are the store's to add."""
        counts: dict[str, Any] = {
            name: count or 0
            for name, ask in _STATUS.items()
            for (count,) in self._readers.every(ask)
        }
        return StoreStatus(**counts)


def _tail(packed: bytes) -> TailState:
    return msgspec.msgpack.decode(packed, type=TailState) if packed else TailState()


def _asked(query: SessionQuery) -> tuple[str, list[int | str]]:
    """Conditions on the view; text of the user is only ever a value."""
    given: list[tuple[str, tuple[int | str, ...]]]
    given = [in_scope(query.scope), in_projects(query.projects)]
    if query.prefix:
        given.append(("substr(e.project_id, 1, ?) = ?", (len(query.prefix), query.prefix)))
    if query.session:
        beginning = query.session
        given.append(("substr(e.session_id, 1, ?) = ?", (len(beginning), beginning)))
    if query.id:
        given.append(("e.session_id = ?", (query.id,)))
    if query.since is not None:
        given.append((f"{_NEWEST} >= ?", (query.since,)))
    if query.after is not None:
        given.append((f"({_NEWEST}, e.session_id, e.project_id) < (?, ?, ?)", query.after))
    if not query.everything:
        given.append(("e.is_displayable", ()))
    return " AND ".join(each for each, _ in given), [v for _, values in given for v in values]


def _listing(row: Row) -> SessionListing:
    *told, events, calls, hooks, size, tail, gone = row
    values = dict(zip(_COLUMNS, told, strict=True))
    values["is_displayable"] = bool(values["is_displayable"])
    written = _tail(tail).mtime_ns // 1_000_000 if tail else None
    return SessionListing(
        **values,
        events=events,
        tool_calls=calls,
        hooks=hooks,
        size=size,
        last_write=written,
        source_gone=bool(gone),
    )


def _titled(row: SessionListing, marks: Mapping[SessionKey, Marks]) -> SessionListing:
    mark = marks.get((row.project_id, row.session_id))
    return structs.replace(row, title=mark.title) if mark and mark.title else row


def _json(values: Iterable[object]) -> str:
    return msgspec.json.encode(list(values)).decode()
