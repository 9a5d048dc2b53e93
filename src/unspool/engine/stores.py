"""The index and the archive of some roots: where they are, and how to open them."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from unspool.engine.archive.reader import Archive
from unspool.engine.quota import QuotaLog, quota_history
from unspool.engine.sessions.listing import StatusReader
from unspool.engine.sessions.ownership import Owners
from unspool.engine.sessions.project_groups import ProjectGroups
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.timeline.timeline import session_hooks
from unspool.engine.usage.price_files import PriceFiles
from unspool.engine.usage.totals import UsageSource
from unspool.errors import NotFound, StoreBusy, StoreCorrupt, StoreError, StoreOutdated
from unspool.model.prices import PriceTable
from unspool.model.rows import SourceRow
from unspool.source.forgotten import pending
from unspool.source.roots import (
    FORGOTTEN,
    INDEX,
    KNOWN_ROOTS,
    OTHERS,
    RAW,
    Scope,
    known_roots,
    remember,
)
from unspool.source.spool import SPOOL
from unspool.store import MarkBook, SqlStore, Store
from unspool.store.sqlite.lock import WriterLock
from unspool.store.sqlite.marks import MarkStore
from unspool.store.sqlite.migrations import is_older
from unspool.store.sqlite.rebuild import set_aside
from unspool.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from unspool.redact import Redactor

LOCK: Final = "index.lock"
NO_INDEX: Final = "There is no index yet. `unspool index build` makes one."
_UNUSED_MS: Final = 30 * 86_400_000
# What views show of a line, and what is read of it to tell whether that has secrets.
_PREVIEW: Final = 500
_LOOKED_AT: Final = _PREVIEW + 16_384


class Machine(NamedTuple):
    """What the engine cannot know by itself: clock, home directory, prices, who is warned."""

    now: Callable[[], int]
    user_home: Path
    prices: PriceFiles
    warn: Callable[[str], object]


class Stores:
    """The index and the archive of some roots.

    The user's own roots have theirs in UNSPOOL_HOME, with the spool that hooks write to. Other
    roots have one below `roots/` there. With `read_only` nothing is written, not even to bring
    an index of an earlier version up to date: sessions are then read from their files.
    """

    def __init__(self, scope: Scope, machine: Machine, *, read_only: bool = False) -> None:
        self.scope, self.machine = scope, machine
        self.roots = scope.roots
        self.home = Path(scope.home)
        self.spool = os.path.join(scope.home, SPOOL)
        self.groups = ProjectGroups(scope.places, scope.home, machine.prices.home)
        self.recent_quota = QuotaLog(scope.home)
        self._is_read_only = read_only

    def prices(self) -> PriceTable:
        """The prices in force."""
        table = self.machine.prices.table()
        for trouble in table.trouble:
            self.machine.warn(trouble)
        return table

    def usage_source(self) -> UsageSource:
        """The roots as the source of cost reports; without forks, for there may be threads."""
        prices, now = self.machine.prices, self.machine.now()
        return UsageSource(self.scope, prices, now, may_fork=False)

    def marks(self) -> MarkBook:
        """What the user decided about sessions."""
        return MarkStore(self.home)

    @property
    def tombstones(self) -> str:
        """The log of forgotten sessions: one for all indexes of a user."""
        return os.path.join(os.path.abspath(self.machine.prices.home), FORGOTTEN)

    def obey_tombstones(self) -> None:
        """Finish what was begun: erase sessions that were forgotten, if any are still there."""
        if self.is_obedient():
            return
        if (self.home / RAW).exists():
            with closing(self._open_any()) as store:
                self.erase_forgotten(store)
            return
        from unspool.engine.forgetting import erase  # noqa: PLC0415 - seldom needed

        erase.erase_without_archive(self.home, self.tombstones)

    def erase_forgotten(self, store: Store) -> None:
        """The same by who has the index open for writing."""
        from unspool.engine.forgetting import erase  # noqa: PLC0415 - seldom needed

        prices, now = self.machine.prices.table(), self.machine.now()
        erase.erase(store, self.home, self.tombstones, self.roots, prices, now)

    def is_obedient(self) -> bool:
        """Whether nothing that was forgotten is in the index any more."""
        return not pending(self.tombstones, self.home)

    def _obey_if_possible(self) -> None:
        try:
            self.obey_tombstones()
        except StoreBusy:
            pass  # the process that is writing does it
        except StoreError as error:
            self.machine.warn(f"Sessions that were forgotten are still in the index: {error}")

    def is_there(self) -> bool:
        """Whether there is an index."""
        return (self.home / INDEX).exists()

    def require(self) -> None:
        """NotFound unless there is an index."""
        if not self.is_there():
            raise NotFound(NO_INDEX)

    @contextmanager
    def reading(self, known: dict[int, SourceRow] | None = None) -> Iterator[tuple[Store, Archive]]:
        """The index for reading, beside any writer, and the bodies of its lines.

        `known` are its files, if they were read just now: they are many.
        """
        store, archive = self.open(known)
        try:
            yield store, archive
        finally:
            archive.close()
            store.close()

    def open(
        self, known: dict[int, SourceRow] | None = None, redactor: "Redactor | None" = None
    ) -> tuple[SqliteStore, Archive]:
        """The same, to be closed by the caller; with a redactor, views get no secrets of a line."""

        def text(source_id: int, generation: int, offset: int, length: int) -> str | None:
            whole = archive.text(source_id, generation, offset, length)
            if whole is None or redactor is None:
                return whole
            # Views cut it: half a secret would not be known for one.
            return redactor.head(whole[:_LOOKED_AT], _PREVIEW)

        def line(source_id: int, generation: int, offset: int, length: int) -> bytes | None:
            return archive.line(source_id, generation, offset, length)

        if not self._is_read_only:
            self._upgrade()
            self._obey_if_possible()
            with suppress(OSError):
                os.utime(self.home / KNOWN_ROOTS)  # in use: see `drop_unused`
        # A view asks for a line's text while the store is being asked.
        store = SqliteStore(
            self.home, mode="ro", bodies=text, lines=line, session_hooks=session_hooks
        )
        store.groups = lambda: self.groups.current().of
        store.statuses = lambda: StatusReader(
            store, self.roots, self.spool, self.machine.now(), self.recent_quota
        )
        store.quota = partial(quota_history, str(self.home))
        archive = Archive(store, known)
        return store, archive

    @contextmanager
    def asking(self, redactor: "Redactor | None" = None) -> Iterator[SqlStore]:
        """The index, for questions in SQL; with a redactor, previews of lines have no secrets."""
        store, archive = self.open(redactor=redactor)
        try:
            yield store
        finally:
            archive.close()
            store.close()

    def writing(self) -> Store:
        """The index for writing; StoreBusy while another process has it."""
        self.obey_tombstones()
        store = SqliteStore(self.home, mode="rw")
        self._remember()
        prices = self.machine.prices
        if store.prices() != prices.version:
            store.reprice(prices.pricer().price_of, prices.version)
        return store

    def rebuilding(self) -> Store:
        """The same, of any version: it is about to be replaced."""
        self.obey_tombstones()
        store = self._open_any()
        self._remember()
        return store

    def _open_any(self) -> SqliteStore:
        try:
            return SqliteStore(self.home, mode="rebuild")
        except StoreCorrupt:
            # Too damaged to open: the file is moved away, for inspection.
            set_aside(self.home)
            return SqliteStore(self.home)

    @contextmanager
    def reading_sessions(self, now: int | None = None) -> Iterator[RootSessions]:
        """A reader of sessions, by their files and by the archive."""
        sessions, archive = self.open_sessions()
        if now is not None:
            sessions.at(now)
        try:
            yield sessions
        finally:
            if archive is not None:
                archive.close()
                archive.store.close()

    def open_sessions(self) -> tuple[RootSessions, Archive | None]:
        """The same, and the archive to be closed by the caller."""
        # An index that cannot be read is no reason not to read the files.
        try:
            archive = self.open()[1] if self.is_there() else None
            if archive is not None:
                archive.sources()
            return self.root_sessions(archive), archive
        except StoreOutdated as error:
            self.machine.warn(str(error))
        except StoreError:
            pass
        return self.root_sessions(), None

    def root_sessions(self, archive: Archive | None = None) -> RootSessions:
        """A reader of sessions by their files, and by an archive of them."""
        now, home = self.machine.now(), self.machine.user_home
        made = RootSessions.in_home(self.scope, self.prices(), now=now, home=home, archive=archive)
        made.group(self.groups.current())
        return made

    def owners(self) -> Owners:
        """Tells copied responses from a session's own, for as long as the process runs."""
        try:
            store = SqliteStore(self.home, mode="ro") if self.is_there() else None
        except StoreError:
            store = None
        return Owners(self.roots, store)

    def _upgrade(self) -> None:
        """Bring an index of an earlier version up to this one; a reader alone cannot."""
        if is_older(self.home / INDEX):
            try:
                self.writing().close()
            except StoreBusy as busy:
                raise StoreOutdated(
                    f"{self.home / INDEX} was written by an earlier version and is in use by"
                    f" process {busy.pid}. Stop that process and try again."
                ) from busy

    def _remember(self) -> None:
        with suppress(OSError):  # a full disk: the next writer does it
            remember(str(self.home), self.roots)
            self.groups.remember()
        others = Path(self.machine.prices.home, OTHERS)
        with suppress(OSError):
            others.chmod(0o700)  # earlier versions left it open
        drop_unused(others, self.machine.now())


def drop_unused(others: Path, now: int) -> None:
    """Remove the indexes of other roots that are gone, or that nobody used for 30 days."""
    for home in others.iterdir() if others.is_dir() else ():
        with suppress(OSError, StoreBusy):
            used = (home / KNOWN_ROOTS if (home / KNOWN_ROOTS).exists() else home).stat().st_mtime
            roots = known_roots(str(home))
            is_gone = bool(roots) and not any(os.path.isdir(root.path) for root in roots)
            if is_gone or now - used * 1_000 > _UNUSED_MS:
                _drop(home)


def _drop(home: Path) -> None:
    lock = WriterLock(home / LOCK)  # not while somebody writes it
    try:
        shutil.rmtree(home)
    finally:
        lock.release()
