"""Which session and which source a batch goes to, whether it is due, and how far it is then."""

from collections.abc import Collection
from typing import Any, NamedTuple

import apsw
import msgspec
from msgspec.structs import astuple

from unspool.model.rows import Batch, SessionRow, SourceRow
from unspool.store.contract import is_due, is_stray, newer_row
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.writing.lines import BatchTarget, LineTable
from unspool.store.sqlite.writing.pending import PendingWrites
from unspool.store.sqlite.writing.strings import StringTable

_REMEMBERED_SESSIONS = 1_024
_NAME, _SESSION = SessionRow.__struct_fields__[:2], SessionRow.__struct_fields__[2:]
_READ_SESSION = f"SELECT {', '.join(_NAME + _SESSION)} FROM session WHERE id = ?"  # noqa: S608
_WRITE_SESSION = f"UPDATE session SET {', '.join(f'{n} = ?' for n in _SESSION)} WHERE id = ?"  # noqa: S608
_PROJECTS = """
    SELECT session_id, project_id FROM session
    WHERE session_id IN (SELECT value FROM json_each(?)) AND project_id <> '' AND origin <> ''
    ORDER BY coalesce(last_activity, 0), project_id
"""
_STRAY = """
    SELECT id FROM session WHERE session_id = ? AND id <> ? AND session_id <> ''
        AND (project_id = '' OR (origin = 'hook' AND transcript_path = ''))
        AND NOT EXISTS (SELECT 1 FROM source WHERE source.session = session.id)
"""


class Sessions:
    """The sessions of one writer; every method runs inside the writer's transaction."""

    def __init__(
        self, connection: apsw.Connection, words: StringTable, pending: PendingWrites
    ) -> None:
        self._connection, self._words, self._pending = connection, words, pending
        self._known: dict[int, SessionRow] = {}

    def tell(self, row: SessionRow) -> tuple[str, str] | None:
        """Write what is known of a session; its name, if that is news."""
        name = row.project_id, row.session_id
        session = self._words.session(*name)
        new = newer_row(row, self._known.get(session) or self._stored(session))
        if new is None:
            return None
        self._known[session] = new
        self._pending.add(_WRITE_SESSION, (*astuple(new)[2:], session))
        if is_stray(new):
            self._words.strays.add(row.session_id)
        elif row.project_id and row.session_id in self._words.strays:
            self._adopt(row.session_id, session)
        return name

    def _stored(self, session: int) -> SessionRow | None:
        if session in self._words.blank:
            self._words.blank.remove(session)
            return None
        values: Row = self._connection.execute(_READ_SESSION, (session,)).fetchone() or ()
        return SessionRow(**dict(zip(_NAME + _SESSION, values, strict=True)))

    def projects(self, session_ids: Collection[str]) -> dict[str, str]:
        """The projects of sessions by their ids alone, where they are known; the newest counts."""
        self._pending.write()
        asked = msgspec.json.encode(list(session_ids)).decode()
        return dict(self._connection.execute(_PROJECTS, (asked,)))

    def _adopt(self, session_id: str, session: int) -> None:
        """Hooks that came before their session's project was known become its own."""
        self._pending.write()
        strays = list[tuple[Any, ...]](self._connection.execute(_STRAY, (session_id, session)))
        for (stray,) in strays:
            change = "UPDATE hook SET session = ? WHERE session = ?"
            self._connection.execute(change, (session, stray))
            self._connection.execute("DELETE FROM session WHERE id = ?", (stray,))
            self._words.forget()
            self._known.pop(stray, None)

    def tidy(self) -> None:
        """Before a transaction: remember those of the last ones only."""
        if len(self._known) > _REMEMBERED_SESSIONS:
            self._known.clear()

    def forget(self) -> None:
        """After a rollback, nothing told since is known."""
        self._known.clear()


_REMEMBERED = 4_096
_GENERATIONS = """
    SELECT generation, id, session, "offset", NOT EXISTS (
        SELECT 1 FROM line WHERE line.source = source.id AND line."offset" >= source."offset"
        UNION ALL SELECT 1 FROM bad WHERE bad.source = source.id AND bad."offset" >= source."offset"
    ) FROM source WHERE source_id = ?
"""
_ADD = """
    INSERT INTO source (source_id, generation, session, root, path, kind, agent_id, tail)
    VALUES (?, ?, ?, ?, ?, ?, ?, x'') RETURNING id
"""
_ADVANCE = """
    UPDATE source SET "offset" = ?, lines = ?, size = ?, mtime_ns = ?, tail = ?, gone_at = ?,
        facts = coalesce(nullif(?, x''), facts),
        kept = kept + ?, events = events + ?, bad = bad + ?, calls = calls + ?,
        first_line = coalesce(first_line, ?), last_line = ?
    WHERE id = ?
"""
_MOVE = (
    "UPDATE hook SET session = ?1 WHERE session = ?2"
    " AND line IN (SELECT id FROM line WHERE source = ?3)",
    "UPDATE source SET session = ?1 WHERE session = ?2 AND id = ?3",
)
_STATE = 'INSERT OR REPLACE INTO fold (source, "offset", state) VALUES (?, ?, ?)'
_FEWER_STATES = (
    "DELETE FROM fold WHERE id IN (SELECT id FROM fold ORDER BY id DESC LIMIT -1 OFFSET ?)"
)
# Sessions of some days; a state takes some kilobytes.
_MOST_STATES, _TIDY_STATES = 256, 64
_CURRENT = 'SELECT id, session, "offset" FROM source WHERE source_id = ? AND NOT superseded'


class _Known(NamedTuple):
    """A generation: its row, its session's, its checkpoint, and whether no line is behind that."""

    number: int
    session: int
    offset: int
    is_clean: bool


class Sources:
    """The sources of one writer; every method runs inside the writer's transaction."""

    def __init__(
        self,
        connection: apsw.Connection,
        words: StringTable,
        lines: LineTable,
        pending: PendingWrites,
    ) -> None:
        self._connection, self._words, self._lines, self._pending = (
            connection,
            words,
            lines,
            pending,
        )
        self._known: dict[int, dict[int, _Known]] = {}
        self._states = 0  # written by this process

    def due(self, batch: Batch) -> BatchTarget | None:
        """Where a batch goes; None when it is there already."""
        source = batch.source
        generations = self._generations(source.source_id)
        known = generations.get(source.generation)
        newest = max(generations, default=None)
        if not is_due(batch, newest, known.offset if known else None):
            return None
        session = self._words.session(source.project_id, source.session_id)
        if known is None:
            return self._added(source, session, restarts=bool(generations))
        if known.session != session:
            self._move(known, session)
        return BatchTarget(known.number, session, is_clean=known.is_clean)

    def _generations(self, source_id: int) -> dict[int, _Known]:
        if source_id not in self._known:
            rows: list[Row] = self._connection.execute(_GENERATIONS, (source_id,)).fetchall()
            self._known[source_id] = {generation: _Known(*row) for generation, *row in rows}
        return self._known[source_id]

    def _added(self, source: SourceRow, session: int, *, restarts: bool) -> BatchTarget:
        if restarts:
            self._supersede(source.source_id)
        named = source.root, source.path, source.kind, source.agent_id
        values = source.source_id, source.generation, session, *named
        number = int(self._connection.execute(_ADD, values).get)
        return BatchTarget(number, session, is_clean=True, is_new=True, restarts=restarts)

    def _move(self, known: _Known, session: int) -> None:
        """A file may tell late whose it is; its hooks go along."""
        self._pending.write()
        for change in _MOVE:
            self._connection.execute(change, (session, known.session, known.number))

    def _supersede(self, source_id: int) -> None:
        """Older generations keep lines, bad lines, raw bytes and what they cost; the rest goes."""
        self._pending.write()
        found: list[Row] = self._connection.execute(_CURRENT, (source_id,)).fetchall()
        for source, session, offset in found:
            # Nobody could read an unfinished line back: it was never archived.
            self._lines.retract(BatchTarget(source, session), offset)
            self._lines.unsay(source)
            self._connection.execute("UPDATE source SET superseded = 1 WHERE id = ?", (source,))
            self._connection.execute("DELETE FROM fold WHERE source = ?", (source,))

    def advance(self, batch: Batch, place: BatchTarget, counts: Row) -> None:
        """Move the checkpoint to where a batch ends, whose rows are `counts`."""
        source = batch.source
        state = source.offset, source.lines, source.size, source.mtime_ns
        values = *state, msgspec.msgpack.encode(source.tail), source.gone_at, batch.facts
        self._pending.add(_ADVANCE, (*values, *counts, place.source))
        if batch.facts:
            self._pending.add("UPDATE session SET is_unlinked = 1 WHERE id = ?", (place.session,))
        for tie in batch.ties:
            self._pending.add("INSERT OR IGNORE INTO tie VALUES (?, ?)", (tie, place.session))
        if batch.state:
            self._put_state(place.source, source.offset, batch.state)
        last = [row.offset for row in batch.lines[-1:]] + [row.offset for row in batch.bad[-1:]]
        is_clean = not batch.is_provisional and max(last, default=-1) < source.offset
        known = _Known(place.source, place.session, source.offset, is_clean)
        self._known[source.source_id][source.generation] = known

    def _put_state(self, source: int, offset: int, state: bytes) -> None:
        self._pending.add(_STATE, (source, offset, state))
        self._states += 1
        if self._states % _TIDY_STATES == 1:
            self._pending.add(_FEWER_STATES, (_MOST_STATES,))

    def tidy(self) -> None:
        """Before a transaction: remember those of the last ones only."""
        if len(self._known) > _REMEMBERED:
            self._known.clear()

    def forget(self) -> None:
        """After a rollback, checkpoints are where they were."""
        self._known.clear()
