"""The one writer of a home: its lock, both files open for writing, and batches into tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import apsw
from msgspec.structs import astuple

from unspool.model.files import OutputFile
from unspool.model.rows import AgentRow, Batch, Segment, SourceRow
from unspool.model.usage import OwnedUsage, Price
from unspool.store.contract import owner, with_project
from unspool.store.sqlite.connection import INDEX, RAW, Row, in_our_words, open_writer
from unspool.store.sqlite.lock import WriterLock, place_trouble
from unspool.store.sqlite.rebuild import NEW, discard, swap
from unspool.store.sqlite.running import compact, transaction
from unspool.store.sqlite.writing.ledger import LedgerTable
from unspool.store.sqlite.writing.lines import BatchTarget, LineTable, traces
from unspool.store.sqlite.writing.pending import PendingWrites
from unspool.store.sqlite.writing.rows import cleaned
from unspool.store.sqlite.writing.segments import Segments, keep_outputs
from unspool.store.sqlite.writing.sources import Sessions, Sources
from unspool.store.sqlite.writing.strings import StringTable

HEAD = "SELECT seq FROM sqlite_sequence WHERE name = 'change'"
SETTLE = "PRAGMA wal_checkpoint(FULL)"
MERGE = "INSERT INTO {0} ({0}, rank) VALUES ('merge', ?)"
_GONE = """
    UPDATE source SET gone_at = ? WHERE source_id = ? AND gone_at IS NULL AND NOT superseded
    RETURNING session, source_id, generation, "offset", "offset"
"""
_AGENT = "INSERT INTO agent VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_CHANGE = """
    INSERT INTO change (session, source_id, generation, begins, ends, kind)
    VALUES (?, ?, ?, ?, ?, ?)
"""


class IndexTables:
    """Owns the connection that writes, and is safe to call from any thread."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection, self._lock, self._pending = connection, Lock(), PendingWrites(connection)
        self._words = words = StringTable(connection)
        self._lines = LineTable(connection, words, self._pending)
        self._ledger = LedgerTable(connection, words)
        self._sessions = Sessions(connection, words, self._pending)
        self._sources = Sources(connection, words, self._lines, self._pending)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock:
            try:
                with transaction(self._connection):
                    yield
                    self._pending.write()
            except BaseException:
                for known in (
                    self._words,
                    self._pending,
                    self._lines,
                    self._sessions,
                    self._sources,
                ):
                    known.forget()
                raise

    def commit(self, batches: Sequence[Batch], price: Price) -> int:
        """Take every batch that is due; the seq of the last change."""
        with self._writing():
            self._sessions.tidy()
            self._sources.tidy()
            usage: list[OwnedUsage] = []
            for batch in batches:
                place = self._sources.due(batch)
                if place is not None:
                    usage += self._take(with_project(batch, self._sessions.projects), place)
            self._note_losers(self._ledger.put(usage, price))
            self._lines.write()
            self._pending.write()
            return self.head()

    def _take(self, batch: Batch, place: BatchTarget) -> list[OwnedUsage]:
        """Rows, checkpoint, session and feed of one batch; gives what it used."""
        before = self._lines.retract(place, batch.begins)
        numbers, counts = self._lines.put(batch, place)
        self._sources.advance(batch, place, counts)
        news = {name for row in batch.sessions if (name := self._sessions.tell(row))}
        mine = _owner(batch.source)
        if place.restarts or batch.source.offset > batch.begins or before != traces(batch):
            kind = "restart" if place.restarts else "lines"
            self._note(kind, place.session, batch.source, batch.begins)
        elif mine in news:
            self._note("session", place.session, batch.source, batch.begins)
        news |= {owner(hook, batch.source) for hook in batch.hooks}
        for name in sorted(news - {mine}):
            self._note("session", self._words.session(*name), batch.source, batch.begins)
        return [
            OwnedUsage(*mine, row._replace(line_id=numbers.of(row.line_id))) for row in batch.usage
        ]

    def _note(
        self, kind: str, session: int | None, source: SourceRow | None = None, begins: int = 0
    ) -> None:
        place = (source.source_id, source.generation, begins, source.offset) if source else (0,) * 4
        self._pending.add(_CHANGE, (session, *place, kind))

    def _note_losers(self, losers: set[tuple[str, str]]) -> None:
        """A session whose figure shrank has no line of its own to say so."""
        for name in sorted(losers):
            self._note("usage", self._words.session(*name))

    def merge(self, table: str, pages: int) -> bool:
        """Merge pages of a full-text index, at first below zero of them; whether more are left."""
        with self._writing():
            before = self._connection.total_changes()
            self._connection.execute(MERGE.format(table), (pages,))
            return self._connection.total_changes() - before > 1  # the command itself is one

    def settle(self) -> None:
        """Have all that is committed outlast a power cut."""
        with self._lock:
            self._connection.execute(SETTLE).fetchall()

    def head(self) -> int:
        """The newest seq, or 0."""
        return int(self._connection.execute(HEAD).get or 0)

    def reprice(self, price: Price, prices: str) -> None:
        """Price the ledger again, and remember by which table."""
        with self._writing():
            if self._ledger.reprice(price):
                self._note("usage", None)
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('prices', ?)", (prices,))

    def put_agents(self, project_id: str, session_id: str, rows: Sequence[AgentRow]) -> None:
        """Replace a session's agents, if they are others than before."""
        with self._writing():
            session, run = self._words.session(project_id, session_id), self._connection.execute
            known: list[Row] = run("SELECT * FROM agent WHERE session = ?", (session,)).fetchall()
            new = {row.agent_id: (session, *astuple(row)) for row in rows}
            if {row[1]: row for row in known} != new:
                run("DELETE FROM agent WHERE session = ?", (session,))
                self._connection.executemany(_AGENT, new.values())
                self._note("agents", session)
            run("UPDATE session SET is_unlinked = 0 WHERE id = ?", (session,))

    def mark_gone(self, source_ids: Sequence[int], at: int) -> None:
        """Note that files are gone."""
        with self._writing():
            for source_id in source_ids:
                found: Row | None = self._connection.execute(_GONE, (at, source_id)).fetchone()
                if found is not None:
                    self._pending.add(_CHANGE, (*found, "gone"))

    def inherit(self, head: int) -> None:
        """Go on where another index ends: followers remember how far they were."""
        with self._writing():
            self._connection.execute("INSERT INTO sqlite_sequence VALUES ('change', ?)", (head,))

    def close(self) -> None:
        """Let go of the file. Safe to call twice."""
        with self._lock:
            self._connection.close()


def _owner(source: SourceRow) -> tuple[str, str]:
    return source.project_id, source.session_id


Answer = TypeVar("Answer")


class Writer:
    """One for each home among all processes."""

    def __init__(self, home: Path, *, as_it_is: bool = False) -> None:
        self.home, self._raw_lock = home, Lock()
        note = place_trouble(home)
        self.trouble: tuple[str, ...] = (note,) if note else ()
        self._lock = WriterLock(home / "index.lock")
        with ExitStack() as undo:
            undo.callback(self._lock.release)
            self._raw = open_writer(home / RAW)
            undo.callback(self._raw.close)
            self._segments = Segments(self._raw)
            self._tables = IndexTables(open_writer(home / INDEX, as_it_is=as_it_is))
            undo.pop_all()

    def put(self, write: Callable[..., Answer], *given: Any) -> Answer:
        """Have the one writer of the index write; text that no database takes is mended first."""
        with in_our_words(self.home / INDEX):
            try:
                return write(self._tables, *given)
            except (UnicodeEncodeError, OverflowError):
                return write(self._tables, *map(cleaned, given))

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow]) -> None:
        """Keep raw bytes and the names of their files."""
        with in_our_words(self.home / RAW), self._raw_lock:
            self._segments.keep(segments, sources)

    def archive_outputs(self, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
        """Keep files of long tool outputs."""
        with in_our_words(self.home / RAW), self._raw_lock:
            keep_outputs(self._raw, outputs)

    def erase(
        self,
        source_ids: Iterable[int],
        outputs: Iterable[tuple[str, str]],
        instead: Iterable[Segment],
    ) -> None:
        """Take sources and outputs out of the archive, and whatever is left of them in its file."""
        with in_our_words(self.home / RAW), self._raw_lock:
            self._segments.erase(source_ids, outputs, instead)
            compact(self._raw, self.home / RAW)

    def settle(self) -> None:
        """Move what was written out of the logs, which alone a power cut may cut short."""
        with in_our_words(self.home / RAW), self._raw_lock:
            self._raw.execute(SETTLE).fetchall()
        self.put(IndexTables.settle)

    @contextmanager
    def beside(self) -> Iterator[Writer]:
        """A writer of a new index, which takes the old one's place when all went well."""
        discard(self.home / NEW)
        fresh = FreshWriter(self)
        try:
            fresh.put(IndexTables.inherit, self._tables.head())
            yield fresh
        except BaseException:
            fresh.close()
            discard(self.home / NEW)
            raise
        fresh.close()

    def swap(self) -> None:
        """Let the new index take the old one's place."""
        with in_our_words(self.home / INDEX):
            self._tables.close()
            try:
                swap(self.home)
            finally:
                self._tables = IndexTables(open_writer(self.home / INDEX))

    def close(self) -> None:
        """Let go of files and lock. Safe to call twice."""
        self._raw.close()
        self._tables.close()
        self._lock.release()


class FreshWriter(Writer):
    """Another writer's archive, and an index of its own."""

    def __init__(self, writer: Writer) -> None:
        self.home, self.trouble = writer.home, ()
        self._raw, self._raw_lock, self._lock = writer._raw, writer._raw_lock, writer._lock
        self._segments = writer._segments
        self._tables = IndexTables(open_writer(writer.home / NEW))

    def close(self) -> None:
        """Let go of the new index alone."""
        self._tables.close()
