"""Questions -> answers from the index, each on a connection that cannot write."""

from collections.abc import Iterator
from typing import Any

import msgspec

from unspool.model.files import TailState
from unspool.model.query import Change, SessionListing, SessionQuery, StoreStatus, UsageTotal
from unspool.model.rows import SourceRow
from unspool.store.sqlite.connection import Readers, Row
from unspool.store.sqlite.writing.writer import HEAD

_SOURCE = [name for name in SourceRow.__struct_fields__ if name != "tail"] + ["tail"]
_SOURCES = """
    SELECT s.source_id, s.root, s.path, s.kind, e.project_id, e.session_id, s.agent_id,
        s.generation, s."offset", s.lines, s.size, s.mtime_ns, s.gone_at, s.tail
    FROM source AS s JOIN session AS e ON e.id = s.session
    WHERE NOT s.superseded ORDER BY s.source_id
"""
_FACTS = """
    SELECT s.source_id, s.facts FROM source AS s JOIN session AS e ON e.id = s.session
    WHERE (e.project_id, e.session_id) = (?, ?) AND NOT s.superseded AND s.facts <> x''
"""
_TIMES = """
    SELECT coalesce(h.timestamp, 0) FROM session AS e JOIN hook AS h ON h.session = e.id
    WHERE e.session_id = ? AND h.key = ? ORDER BY 1
"""
_LISTED = ", ".join(SessionListing.__struct_fields__)
_NEWEST = "coalesce(last_activity, 0)"
_BOOLEANS = ("hidden", "pinned", "source_gone")
_TOTALS = "SELECT * FROM usage_totals ORDER BY 1, 2, 3, 4, 5"
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

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    def sources(self) -> list[SourceRow]:
        """Every file in its newest generation."""
        return [
            SourceRow(**dict(zip(_SOURCE, (*row, _tail(tail)), strict=True)))
            for *row, tail in self._readers.every(_SOURCES)
        ]

    def facts(self, project_id: str, session_id: str) -> dict[int, bytes]:
        """What linking needs of each source of a session."""
        return {
            source: facts for source, facts in self._readers.every(_FACTS, (project_id, session_id))
        }

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

    def sessions(self, query: SessionQuery) -> list[SessionListing]:
        """Sessions, newest activity first."""
        where, values = _asked(query)
        ask = (
            f"SELECT {_LISTED} FROM sessions WHERE {where}"  # noqa: S608
            f" ORDER BY {_NEWEST} DESC, session_id DESC LIMIT ?"
        )
        return [_listing(row) for row in self._readers.every(ask, (*values, query.limit))]

    def totals(self) -> Iterator[UsageTotal]:
        """The ledger in quarters of an hour."""
        return (UsageTotal(*row) for row in self._readers.every(_TOTALS))

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
    given: list[tuple[str, tuple[int | str, ...]]] = [("1", ())]
    if query.project:
        given.append(("instr(lower(project_id), lower(?))", (query.project,)))
    if query.session:
        beginning = query.session
        given.append(("substr(session_id, 1, ?) = ?", (len(beginning), beginning)))
    if query.status:
        given.append(("status = ?", (query.status,)))
    if query.since is not None:
        given.append((f"{_NEWEST} >= ?", (query.since,)))
    if query.after is not None:
        given.append((f"({_NEWEST}, session_id) < (?, ?)", query.after))
    if not query.everything:
        given.append(("is_displayable", ()))
    return " AND ".join(each for each, _ in given), [v for _, values in given for v in values]


def _listing(row: Row) -> SessionListing:
    values = dict(zip(SessionListing.__struct_fields__, row, strict=True))
    return SessionListing(**values | {name: bool(values[name]) for name in _BOOLEANS})
