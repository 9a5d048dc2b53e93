"""What one transaction does for one owner: its lock, its numbers, its feed, and rows that wait."""

from collections.abc import Collection, Iterable
from typing import Any, Final

from unspool.model.query import SessionKey
from unspool.model.rows import SourceRow
from unspool.store.postgres.database import Connection, Row
from unspool.store.postgres.partitions import NOW, clamped
from unspool.store.postgres.tables import IS_ERASED

# Of one owner's writers one goes at a time: ledger and line numbers depend on it.
_LOCK: Final = f"""
    SELECT edition, {IS_ERASED} FROM person WHERE owner = %(owner)s FOR NO KEY UPDATE
"""  # noqa: S608
_BLOCK: Final = f"{NOW}, nextval('line_block')"
_HEAD: Final = "SELECT seq FROM person WHERE owner = %(owner)s"
# The last statement before the changes: everyone who commits waits for this row.
_COUNT: Final = "UPDATE head SET seq = seq + %(count)s RETURNING seq"
_MOVE: Final = "UPDATE person SET seq = %(seq)s WHERE owner = %(owner)s"
_BLOCK_BITS: Final = 24

COLUMNS: Final = {
    "line": "owner, source, \"offset\", at, line, length, number, kind, turn, timestamp, uuid,"
    " odd_uuid, parent, odd_parent, message_id, request_id",
    "hook": "owner, line, at, source, \"offset\", session, event_id, timestamp, event_type,"
    " tool_use_id, tool_name, decision, handler_results, input, agent_id, duration_ms, origin,"
    " print, uuid, key",
    "touched": "owner, source, \"offset\", at, path, lowered, tool",
    "cause": "owner, line, source, \"offset\", at, skill, mcp_server, agent, command",
    "bad": "owner, source, \"offset\", length, number, reason",
    "oddity": "owner, source, \"offset\", version, what, name, count",
    "tool": "owner, source, tool_use_id, call, call_at, called, stamp, name, agent_id, result,"
    " result_at, answered, state, is_error",
    "response": "owner, message_key, rank, claim, timestamp, is_finished, is_used, model,"
    " input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cache_creation_5m,"
    " cache_creation_1h, web_searches, speed, geo, usd_pico, session, agent_id, line, quarter",
    "new_text": "owner, source, \"offset\", at, text_kind, bodies",
    "change": "seq, owner, project_id, session_id, source_id, generation, begins, ends, kind",
}  # fmt: skip


class Transaction:
    """What one commit does; statements that read what may wait here call `flush` first.

    `machine` is the one that is written for now.
    """

    def __init__(self, connection: Connection, owner: int) -> None:
        self.connection, self.owner, self.machine = connection, owner, 0
        self._rows: dict[str, list[Row]] = {}
        self._statements: dict[str, list[dict[str, Any]]] = {}
        self._changes: list[Row] = []
        ((self.edition, self.is_erased),) = self.run(_LOCK)
        ((self.now, block),) = self.run(_BLOCK)
        self._next_line = int(block) << _BLOCK_BITS

    def run(self, statement: str, **values: Any) -> list[Row]:
        """Run a statement now; `owner` is always given."""
        cursor = self.connection.execute(statement.encode(), {**values, "owner": self.owner})
        return cursor.fetchall() if cursor.description else []

    def copy(self, table: str, rows: Iterable[Row]) -> None:
        """Put rows down for a table; their first value, the owner, is added."""
        waiting = self._rows.setdefault(table, [])
        waiting += ((self.owner, *row) for row in rows)

    def later(self, statement: str, **values: Any) -> None:
        """Put a statement down; those of different texts must not need an order."""
        self._statements.setdefault(statement, []).append({**values, "owner": self.owner})

    def flush(self) -> None:
        """Write all rows, then run all statements."""
        for table, rows in self._rows.items():
            if rows:
                text = f"COPY {table} ({COLUMNS[table]}) FROM STDIN"
                with self.connection.cursor().copy(text.encode()) as copy:
                    for row in rows:
                        copy.write_row(row)
        self._rows.clear()
        for statement, values in self._statements.items():
            with self.connection.cursor() as cursor:
                cursor.executemany(statement.encode(), values)
        self._statements.clear()

    def at(self, line_id: int) -> int:
        """The time in a line's id, as a row may have it."""
        return clamped(line_id >> 22, self.now)

    def first_line(self, count: int) -> int:
        """The first of some numbers for lines, none of which was ever used."""
        first = self._next_line
        self._next_line += count
        return first

    def note(
        self, kind: str, name: SessionKey, source: SourceRow | None = None, begins: int = 0
    ) -> None:
        """Note a change for the feed."""
        place = (source.source_id, source.generation, begins, source.offset) if source else (0,) * 4
        self._changes.append((*name, *place, kind))

    def unname(self, names: Collection[SessionKey]) -> None:
        """Let changes that were noted say nothing of some sessions."""
        for at, (project, session, *_) in enumerate(self._changes):
            if (project, session) in names:
                self._changes[at] = ("", "", 0, 0, 0, 0, "usage")

    @property
    def changes(self) -> int:
        """How many were noted so far."""
        return len(self._changes)

    def forget(self, changes: int) -> None:
        """Drop what waits, and all changes after the first ones: their work was undone."""
        self._rows.clear()
        self._statements.clear()
        del self._changes[changes:]

    def publish(self, first: int) -> None:
        """Write the feed; its first change gets this seq."""
        last = first + len(self._changes) - 1
        rows = enumerate(self._changes, first)
        self._rows["change"] = [(seq, self.owner, *row) for seq, row in rows]
        self.flush()
        self.run(_MOVE, seq=last)

    def head(self) -> int:
        """The seq of the owner's last change."""
        ((last,),) = self.run(_HEAD)
        return int(last)


def finish(transactions: Iterable[Transaction]) -> list[int]:
    """Write what waits, and the feeds at the very end; the head of each before its changes."""
    every = list(transactions)
    for one in every:
        one.flush()
    heads = [one.head() for one in every]
    if count := sum(one.changes for one in every):
        ((last,),) = every[0].run(_COUNT, count=count)
        first = last - count + 1
        for at, one in enumerate(every):
            if one.changes:
                one.publish(first)
                heads[at] = first - 1
                first += one.changes
    return heads
