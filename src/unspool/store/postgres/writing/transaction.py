"""One commit of some owners: their locks, the numbers of lines, rows that wait, and the feeds."""

from collections.abc import Collection, Iterable
from typing import Any, Final

from unspool.model.query import SessionKey
from unspool.model.rows import SourceRow
from unspool.store.postgres.database import Connection, Row
from unspool.store.postgres.partitions import NOW, clamped
from unspool.store.postgres.tables import IS_ERASED

# Of one owner's writers one goes at a time: ledger and line numbers depend on it. In their order:
# of two processes, none waits for the other and is waited for.
_LOCK: Final = f"""
    SELECT owner, edition, seq FROM person WHERE owner = ANY(%(owners)s) AND NOT {IS_ERASED}
    ORDER BY owner FOR NO KEY UPDATE
"""  # noqa: S608
_BLOCK: Final = f"{NOW}, nextval('line_block')"
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
    "change": "owner, seq, project_id, session_id, source_id, generation, begins, ends, kind",
}  # fmt: skip


class Commit:
    """What the transactions of some owners share: they begin and end together."""

    def __init__(self, connection: Connection, owners: Collection[int]) -> None:
        self.connection = connection
        locked = connection.execute(_LOCK.encode(), {"owners": list(owners)}).fetchall()
        # After the locks: so the numbers of an owner's lines only grow.
        ((self.now, block),) = connection.execute(_BLOCK.encode()).fetchall()
        self._next_line = int(block) << _BLOCK_BITS
        self._rows: dict[str, list[Row]] = {}
        self._statements: dict[str, list[dict[str, Any]]] = {}
        self._sums: dict[tuple[str, ...], set[Row]] = {}
        self._writers: set[int] = set()
        self.transactions = {row[0]: Transaction(self, *row) for row in locked}

    def copy(self, table: str, owner: int, rows: Iterable[Row]) -> None:
        """Put rows of an owner down for a table."""
        self._writers.add(owner)
        self._rows.setdefault(table, []).extend((owner, *row) for row in rows)

    def later(self, statement: str, owner: int, values: dict[str, Any]) -> None:
        """Put a statement of an owner down."""
        self._writers.add(owner)
        self._statements.setdefault(statement, []).append({**values, "owner": owner})

    def add_up(self, statements: tuple[str, ...], owner: int, cells: Iterable[Row]) -> None:
        """Put cells of an owner down that have to be added up again."""
        self._writers.add(owner)
        self._sums.setdefault(statements, set()).update((owner, *cell) for cell in cells)

    def is_waiting(self, owner: int) -> bool:
        """Whether anything of an owner waits."""
        return owner in self._writers

    def flush(self) -> None:
        """Write all rows, then run all statements, then add up."""
        for table, rows in self._rows.items():
            if rows:
                text = f"COPY {table} ({COLUMNS[table]}) FROM STDIN"
                with self.connection.cursor().copy(text.encode()) as copy:
                    for row in rows:
                        copy.write_row(row)
        for statement, values in self._statements.items():
            with self.connection.cursor() as cursor:
                cursor.executemany(statement.encode(), values)
        for statements, cells in self._sums.items():
            if cells:
                columns = [list(column) for column in zip(*cells, strict=True)]
                for statement in statements:
                    self.connection.execute(statement.encode(), columns)
        self.drop()

    def drop(self) -> None:
        """Forget what waits."""
        self._rows.clear()
        self._statements.clear()
        self._sums.clear()
        self._writers.clear()

    def first_line(self, count: int) -> int:
        """The first of some numbers for lines, none of which was ever used."""
        first = self._next_line
        self._next_line += count
        return first

    def finish(self) -> None:
        """Write what waits, and the feeds at the very end."""
        self.flush()
        changed = [one for one in self.transactions.values() if one.changes]
        if count := sum(one.changes for one in changed):
            ((last,),) = self.connection.execute(_COUNT.encode(), {"count": count}).fetchall()
            first = last - count + 1
            for one in changed:
                one.publish(first)
                first += one.changes
            self.flush()


class Transaction:
    """What one commit does for one owner. `machine` is the one that is written for now."""

    def __init__(self, commit: Commit, owner: int, edition: int, seq: int) -> None:
        self.owner, self.edition, self.machine = owner, edition, 0
        self.seq = seq  # of the last change before those of this commit
        self.connection, self.now = commit.connection, commit.now
        self.first_line = commit.first_line
        self._commit = commit
        self._changes: list[Row] = []

    def run(self, statement: str, **values: Any) -> list[Row]:
        """Run a statement now; `owner` is always given.

        Statements that read what may wait here call `flush` first.
        """
        cursor = self.connection.execute(statement.encode(), {**values, "owner": self.owner})
        return cursor.fetchall() if cursor.description else []

    def copy(self, table: str, rows: Iterable[Row]) -> None:
        """Put rows down for a table; their first value, the owner, is added."""
        self._commit.copy(table, self.owner, rows)

    def later(self, statement: str, **values: Any) -> None:
        """Put a statement down; those of different texts must not need an order."""
        self._commit.later(statement, self.owner, values)

    def add_up(self, statements: tuple[str, ...], cells: Iterable[Row]) -> None:
        """Put cells down that have to be added up again when all rows are there.

        The statements take them as arrays, a column each, that of the owner first.
        """
        self._commit.add_up(statements, self.owner, cells)

    def flush(self) -> None:
        """See that nothing of this owner waits."""
        if self._commit.is_waiting(self.owner):
            self._commit.flush()

    def at(self, line_id: int) -> int:
        """The time in a line's id, as a row may have it."""
        return clamped(line_id >> 22, self.now)

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
        """Drop all changes after the first ones: their work was undone."""
        del self._changes[changes:]

    def publish(self, first: int) -> None:
        """Put the feed down; its first change gets this seq."""
        self.seq = first - 1
        rows = enumerate(self._changes, first)
        self.copy("change", ((seq, *row) for seq, row in rows))
        self.later(_MOVE, seq=self.seq + self.changes)
