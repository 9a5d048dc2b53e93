"""Every store there is, and what each shows, in a form that two can be compared by."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import apsw
from msgspec import structs

from tests.store.postgres.cluster import SearchableStore
from unspool.model.query import SessionQuery, TextQuery, TotalsQuery
from unspool.store import Store
from unspool.store.memory import MemoryStore
from unspool.store.postgres.store import PostgresStore
from unspool.store.sqlite.store import SqliteStore

AnyStore: TypeAlias = MemoryStore | PostgresStore | SqliteStore

KINDS: dict[str, Callable[[Path], AnyStore]] = {
    "memory": lambda _: MemoryStore(),
    "postgres": lambda _: SearchableStore(),
    "sqlite": lambda home: SqliteStore(home / "home"),
}

EVERYTHING = SessionQuery(everything=True, limit=1000)

# A store numbers its lines as they come; compared is where they stand.
_PLACE = (
    """(SELECT source_id || '.' || generation || '.' || "offset" FROM lines WHERE line_id = {})"""
)
TABLES = {
    "sources": 'source_id, generation, path, kind, lines, "offset", superseded, session_id',
    "lines": 'source_id, generation, "offset", length, line_number, session_id, agent_id, uuid,'
    " parent_uuid, type, subtype, timestamp, role, model, message_id, request_id, superseded,"
    " event_type, text_kind, turn",
    "bad_lines": 'source_id, generation, "offset", length, line_number, reason, session_id,'
    " project_id, superseded",
    "usage": f"message_key, session_id, agent_id, timestamp, output_tokens, lower_bound,"
    f" {_PLACE.format('usage.line_id')}",
    "tool_calls": f"tool_use_id, session_id, agent_id, name, state, start_time, duration_ms,"
    f" is_error, {_PLACE.format('call_line')}, {_PLACE.format('result_line')}",
    "hook_events": f"event_id, session_id, event_type, {_PLACE.format('hook_events.line_id')}",
    "files_touched": f"session_id, path, tool, {_PLACE.format('files_touched.line_id')}",
    "oddities": "version, what, name, count",
    "events": "*",
}


def shown(store: Store) -> dict[str, Any]:
    """What the protocol shows."""
    query = TextQuery(limit=1000)
    # However busy the machine is, all hits are wanted here.
    if isinstance(store, SqliteStore):
        hits = store._search.search(query, 600)
    elif isinstance(store, PostgresStore):
        hits = store.search(query, 600)
    else:
        hits = store.search(query)
    status = structs.replace(store.status(), seq=0, index_bytes=0, database="")
    return {
        "sources": store.sources(),
        "sessions": sorted(store.sessions(EVERYTHING), key=lambda row: row.session_id),
        "hits": [structs.replace(hit, line_id=0) for hit in hits],
        "totals": list(store.totals(TotalsQuery())),
        "status": status,
    }


def tables(store: SqliteStore) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the documented tables."""
    asked = {name: f"SELECT {columns} FROM {name}" for name, columns in TABLES.items()}  # noqa: S608
    return {name: sorted(store.sql(ask, limit=10_000)[1], key=str) for name, ask in asked.items()}


def statements(connection: apsw.Connection) -> list[str]:
    """Every statement a connection runs from now on, as it is run."""
    said: list[str] = []

    def note(_cursor: object, text: str, _values: object) -> bool:
        said.append(" ".join(text.split()))
        return True

    connection.exec_trace = note
    return said
