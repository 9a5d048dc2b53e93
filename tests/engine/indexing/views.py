"""What a store shows, in a form that two stores can be compared by.

A store numbers its lines as they come; compared is where they stand.
"""

from typing import Any, TypeAlias

from msgspec import structs

from unspool.model.query import SessionQuery, TextQuery, TotalsQuery
from unspool.store import Store
from unspool.store.sqlite.store import SqliteStore

Tables: TypeAlias = dict[str, list[tuple[Any, ...]]]

_PLACE = "(SELECT source_id || '.' || generation || '.' || offset FROM lines WHERE line_id = {})"
_TABLES = {
    "lines": "source_id, generation, offset, length, line_number, session_id, agent_id, uuid, "
    "parent_uuid, type, subtype, timestamp, role, model, message_id, request_id, superseded, turn",
    "bad_lines": "*",
    "usage": "message_key, session_id, agent_id, model, timestamp, input_tokens, output_tokens, "
    f"usd_pico, lower_bound, {_PLACE.format('usage.line_id')}",
    "tool_calls": "tool_use_id, session_id, agent_id, name, state, start_time, duration_ms, "
    f"is_error, {_PLACE.format('call_line')}, {_PLACE.format('result_line')}",
    "hook_events": f"event_id, session_id, event_type, {_PLACE.format('hook_events.line_id')}",
    "agents": "*",
    "files_touched": f"session_id, path, tool, {_PLACE.format('files_touched.line_id')}",
    "oddities": "version, what, name, count",
    "sources": "source_id, generation, path, kind, lines, offset, superseded, session_id",
}


def shown(store: Store) -> dict[str, Any]:
    """What the protocol shows of all lines, sessions and sums."""
    everything = SessionQuery(everything=True, limit=10_000)
    sources = [(s.path, s.generation, s.offset, s.lines, s.gone_at) for s in store.sources()]
    hits = store.search(TextQuery(limit=10**6))
    return {
        "sources": sorted(sources),
        # The archive does not keep when a file was written.
        "sessions": sorted(
            (
                structs.astuple(structs.replace(row, last_write=None))
                for row in store.sessions(everything)
            ),
            key=str,
        ),
        "lines": sorted(structs.astuple(hit)[1:] for hit in hits),
        "totals": list(store.totals(TotalsQuery())),
    }


def tables(store: SqliteStore) -> Tables:
    """Every row of the documented tables."""
    asked = {name: f"SELECT {columns} FROM {name}" for name, columns in _TABLES.items()}  # noqa: S608
    return {name: sorted(store.sql(ask, limit=10**6)[1], key=str) for name, ask in asked.items()}
