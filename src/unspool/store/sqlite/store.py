"""The store on one machine: index.db, which can be built again, and raw.db, which cannot."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from threading import local
from typing import Any, Literal, TypeAlias

import apsw
from msgspec.structs import replace

from unspool.errors import StoreError
from unspool.model.document import ProjectGroup
from unspool.model.edits import EditLine, EditQuery, FileEdits
from unspool.model.files import OutputFile
from unspool.model.health import StoreStatus
from unspool.model.insights import ActivityStrip
from unspool.model.live import SessionHooks
from unspool.model.query import (
    BadLinePlace,
    CauseQuery,
    Change,
    Facets,
    HitCounts,
    LineLocation,
    ModelUsage,
    OddityCount,
    ProjectTotal,
    Scope,
    SearchHits,
    SessionKey,
    SessionListing,
    SessionQuery,
    StatusRow,
    TextQuery,
    TotalsQuery,
    UsageTotal,
)
from unspool.model.rows import AgentRow, Batch, HookRow, Segment, SourceRow
from unspool.model.usage import Price, QuotaRow, UsageRow
from unspool.store import Store
from unspool.store.contract import unpriced
from unspool.store.sqlite import audit, sql, totals
from unspool.store.sqlite.activity import TimeRangeFacts, strips
from unspool.store.sqlite.connection import INDEX, RAW, ReaderPool, log_trouble
from unspool.store.sqlite.edits import EditReader
from unspool.store.sqlite.events import SqliteSessionEvents
from unspool.store.sqlite.functions import (
    Bodies,
    GroupOf,
    Lines,
    StatusOf,
    teach,
    teach_groups,
    teach_hooks,
    teach_marks,
    teach_quota,
    teach_status,
)
from unspool.store.sqlite.marks import MarkStore
from unspool.store.sqlite.migrations import too_new
from unspool.store.sqlite.raw import RawDatabase
from unspool.store.sqlite.reader import Reader
from unspool.store.sqlite.rebuild import NEW
from unspool.store.sqlite.search.hits import TextSearch
from unspool.store.sqlite.search.vocabulary import words_with
from unspool.store.sqlite.writing import ledger
from unspool.store.sqlite.writing.texts import TABLES
from unspool.store.sqlite.writing.writer import IndexTables, Writer

# A session of a store -> its events that hooks tell of.
HooksOf: TypeAlias = Callable[["SqliteStore", str, str], SessionHooks]

_PAGES = 500  # merged in one transaction, so that nobody waits long for the next


class SqliteStore:
    """One process at a time may open it `rw`; any number may read beside it.

    `rebuild` opens an index of any version, to be replaced by `rebuild_into`.
    """

    def __init__(
        self,
        home: Path,
        *,
        mode: Literal["rw", "ro", "rebuild"] = "rw",
        bodies: Bodies | None = None,
        lines: Lines | None = None,
        session_hooks: HooksOf | None = None,
    ) -> None:
        writer = None if mode == "ro" else Writer(home, as_it_is=mode == "rebuild")
        self._set_up(home / INDEX, writer, bodies, lines)
        self._session_hooks = session_hooks

    def _set_up(
        self, index: Path, writer: Writer | None, bodies: Bodies | None, lines: Lines | None = None
    ) -> None:
        self.home, self._bodies, self._writer = index.parent, bodies, writer
        # Whoever knows how sessions stand gives it: asked for at every question in SQL.
        self.statuses: Callable[[], StatusOf] | None = None
        self.groups: Callable[[], GroupOf] | None = None  # the same for projects
        self.quota: Callable[[], Iterable[QuotaRow]] = tuple  # every change of a usage limit
        self._asking = local()
        self._last_hooks: tuple[tuple[object, ...], SessionHooks] = ((), SessionHooks())
        self.marks = MarkStore(self.home)
        self._readers = ReaderPool(index, self._teach)
        self._raw_readers = ReaderPool(self.home / RAW, self._teach)
        self._reader, self._archive = Reader(self._readers), RawDatabase(self._raw_readers)
        self._edits = EditReader(self._readers)
        self._search = TextSearch(self._readers, self.marks, bodies, lines)

    def _teach(self, connection: apsw.Connection) -> None:
        """Bodies stay in files and archive; views ask for them by place."""
        teach(connection)
        for name, ask in (("line_text", self._text), ("line_raw", self._line)):
            connection.create_scalar_function(name, ask, 4, flags=apsw.SQLITE_INNOCUOUS)
        teach_hooks(connection, self._hooks_of)
        teach_marks(connection, self.marks)
        teach_status(connection, self._status_of)
        teach_groups(connection, self._group_of)
        teach_quota(connection, lambda: self.quota())  # noqa: PLW0108 - it is given later

    def _status_of(self, project_id: str, session_id: str) -> StatusRow | None:
        status_of: StatusOf | None = getattr(self._asking, "status_of", None)
        return status_of(project_id, session_id) if status_of else None

    def _group_of(self, project_id: str) -> ProjectGroup | None:
        group_of: GroupOf | None = getattr(self._asking, "group_of", None)
        return group_of(project_id) if group_of else None

    def _hooks_of(self, project_id: str, session_id: str) -> SessionHooks:
        """What hooks tell of a session; the view asks twice in a row."""
        name = project_id, session_id, self.head()
        if self._last_hooks[0] != name:
            told = self._session_hooks(self, *name[:2]) if self._session_hooks else SessionHooks()
            self._last_hooks = name, told
        return self._last_hooks[1]

    def _text(self, *place: Any) -> str | None:
        return self._bodies(*place) if self._bodies else None

    def _line(self, *place: Any) -> str | None:
        data = self.raw(*place)
        return None if data is None else data.decode("utf-8", "replace")

    @property
    def _writes(self) -> Writer:
        if self._writer is None:
            raise StoreError(f"{self.home} is open for reading only; open it with mode='rw'")
        return self._writer

    def sources(self) -> list[SourceRow]:
        return self._reader.sources()

    def source(self, source_id: int) -> SourceRow | None:
        return self._reader.source(source_id)

    def sources_of(self, project_id: str, session_id: str) -> list[SourceRow]:
        return self._reader.sources_of(project_id, session_id)

    def roots(self) -> list[str]:
        return self._reader.roots()

    def line_at(self, source_id: int, generation: int, offset: int) -> LineLocation | None:
        return self._reader.line_at(source_id, generation, offset)

    def file_states(self) -> list[tuple[str, str, int, int]]:
        return audit.file_states(self._readers)

    def line_counts(self) -> dict[tuple[int, int], int]:
        return audit.line_counts(self._readers)

    def bad_lines(self, *, limit: int) -> list[BadLinePlace]:
        return audit.bad_lines(self._readers, limit)

    def oddities(self, *, limit: int) -> list[OddityCount]:
        return audit.oddities(self._readers, limit)

    def unpriced_models(self, *, limit: int) -> list[tuple[str, int]]:
        return audit.unpriced_models(self._readers, limit)

    def spools(self) -> list[SourceRow]:
        return self._reader.spools()

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow] = ()) -> None:
        self._writes.archive(segments, sources)

    def generations(self) -> list[SourceRow]:
        return self._archive.generations()

    def archived(self, source_id: int, generation: int) -> int:
        return self._archive.end(source_id, generation)

    def segments(self, source_id: int, generation: int, after: int = 0) -> Iterator[Segment]:
        return self._archive.segments(source_id, generation, after)

    def raw(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        return self._archive.bytes_at(source_id, generation, offset, length)

    def erase(
        self,
        source_ids: Collection[int],
        outputs: Collection[tuple[str, str]] = (),
        instead: Iterable[Segment] = (),
    ) -> None:
        self._writes.erase(source_ids, outputs, instead)

    def archive_outputs(self, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
        self._writes.archive_outputs(outputs)

    def outputs(self) -> list[OutputFile]:
        return self._archive.outputs()

    def output(self, root: str, path: str) -> bytes | None:
        return self._archive.output(root, path)

    def commit(self, batches: Sequence[Batch], price: Price = unpriced) -> int:
        return self._writes.put(IndexTables.commit, list(batches), price)

    def reprice(self, price: Price, prices: str) -> None:
        self._writes.put(IndexTables.reprice, price, prices)

    def prices(self) -> str:
        """The name of the table the ledger was last priced by, or ''."""
        return self._reader.prices()

    def hooks(self, project_id: str, session_id: str) -> list[HookRow]:
        return self.events_of(project_id, session_id).hooks()

    def hook_times(self, session_id: str, key: str) -> list[int]:
        """When hooks recorded an event of this key, in any project."""
        return self._reader.hook_times(session_id, key)

    def hook_sessions(self) -> list[tuple[str, str]]:
        return self._reader.hook_sessions()

    def facts(self, project_id: str, session_id: str) -> dict[int, bytes]:
        return self._reader.facts(project_id, session_id)

    def fold_state(self, source_id: int, generation: int) -> tuple[int, bytes] | None:
        return self._reader.fold_state(source_id, generation)

    def message_uuids(self, source_id: int, generation: int, end: int) -> list[tuple[str, str]]:
        return self._reader.message_uuids(source_id, generation, end)

    def unlinked(self) -> list[tuple[str, str]]:
        return self._reader.unlinked()

    def put_agents(self, project_id: str, session_id: str, rows: Sequence[AgentRow]) -> None:
        self._writes.put(IndexTables.put_agents, project_id, session_id, list(rows))

    def mark_gone(self, source_ids: Sequence[int], at: int) -> None:
        self._writes.put(IndexTables.mark_gone, list(source_ids), at)

    def sessions(self, query: SessionQuery) -> list[SessionListing]:
        return self._reader.sessions(query, self.marks.all())

    def search(self, query: TextQuery) -> SearchHits:
        return self._search.search(query)

    def count_hits(self, query: TextQuery, roots: Collection[str] = ()) -> HitCounts:
        return self._search.count(query, roots)

    def edited_files(self, query: EditQuery) -> list[FileEdits]:
        return self._edits.files(query)

    def edits_of(self, path: str, query: EditQuery) -> list[EditLine]:
        return self._edits.edits(path, query)

    def words_with(self, parts: Collection[str], limit: int) -> dict[str, list[str] | None]:
        with self._readers.take() as connection:
            return words_with(connection, parts, limit)

    def owners(self, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
        return ledger.owners(self._readers, keys)

    def responses(self, project_id: str, session_id: str) -> list[UsageRow]:
        return ledger.responses(self._readers, project_id, session_id)

    def totals(self, query: TotalsQuery) -> Iterator[UsageTotal]:
        return totals.totals(self._readers, query)

    def projects(
        self, scope: Scope = None, *, ids: Collection[str] | None = None
    ) -> list[ProjectTotal]:
        return totals.projects(self._readers, scope, ids)

    def project_ids(self) -> list[str]:
        return self._reader.project_ids()

    def facets(self, *, limit: int, newest: int = 2_000) -> Facets:
        return totals.facets(self._readers, limit, newest)

    def usage_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[ModelUsage]]:
        return self._reader.usage_of(names)

    def agents_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[bytes]]:
        return self._reader.agents_of(names)

    def related(self, ties: Collection[int]) -> list[str]:
        return self._reader.related(ties)

    def strips(self, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], ActivityStrip]:
        """When things happened in some sessions, by project and id."""
        return dict(strips(self._readers, keys))

    def events_of(self, project_id: str, session_id: str) -> SqliteSessionEvents:
        """What the timeline of a session is made of."""
        return SqliteSessionEvents(self._readers, project_id, session_id)

    def facts_of(
        self,
        since: int,
        until: int,
        *,
        projects: Collection[str] | None = None,
        scope: Scope = None,
        sessions: Collection[int] | None = None,
    ) -> TimeRangeFacts:
        """Every call and response of some time."""
        return TimeRangeFacts(self._readers, (since, until), projects, scope, sessions)

    def causes(self, query: CauseQuery) -> None:
        """Facts are added up when they are asked for."""

    def changes(self, *, after: int = 0, limit: int = 500) -> list[Change]:
        return self._reader.changes(after, limit)

    def head(self) -> int:
        return self._reader.head()

    def merge(self) -> Iterator[None]:
        for table in TABLES:
            pages = -_PAGES
            while self._writes.put(IndexTables.merge, table, pages):
                pages = _PAGES
                yield

    def settle(self) -> None:
        self._writes.settle()

    def status(self) -> StoreStatus:
        versions = (
            too_new(readers.path.name, version)
            for readers in (self._readers, self._raw_readers)
            for (version,) in readers.every("PRAGMA user_version")
        )
        trouble = (*sorted(self._archive.damaged), *(self._writer.trouble if self._writer else ()))
        logs = (log_trouble(readers.path) for readers in (self._readers, self._raw_readers))
        return replace(
            self._reader.status(),
            index_bytes=_size(self._readers.path),
            database=apsw.sqlite_lib_version(),
            **self._archive.sizes(),
            trouble=(*trouble, *filter(None, versions), *filter(None, logs)),
        )

    def sql(
        self, text: str, params: Sequence[Any] = (), *, limit: int = 1000, seconds: float = 10.0
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Columns and rows of one SELECT over the documented tables."""
        self._asking.status_of = self.statuses() if self.statuses else None
        self._asking.group_of = self.groups() if self.groups else None
        return sql.ask(self._readers, text, params, limit, seconds)

    def tables(self) -> dict[str, list[str]]:
        """The documented tables, each with its columns."""
        return sql.tables(self._readers)

    def check(self, *, thorough: bool = False) -> list[str]:
        """What is wrong with either file; thoroughly, also every index and every checksum."""
        look = audit.thorough_check if thorough else audit.quick_check
        wrong = [*look(self._readers), *look(self._raw_readers)]
        return wrong + sorted(self._archive.check() if thorough and not wrong else ())

    def rebuild_into(self, fill: Callable[[Store], None]) -> None:
        with self._writes.beside() as writer:
            fresh = SqliteStore.__new__(SqliteStore)
            fresh._set_up(self.home / NEW, writer, self._bodies)
            fresh._session_hooks = None
            try:
                fill(fresh)
            finally:
                fresh.close()
        self._readers.close()  # Windows replaces no file that is open
        self._writes.swap()

    def close(self) -> None:
        self._readers.close()
        self._raw_readers.close()
        if self._writer is not None:
            self._writer.close()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
