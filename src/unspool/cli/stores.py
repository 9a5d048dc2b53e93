"""The index and the archive of some roots, opened for those who read and the one who writes."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from unspool.cli import config, paths
from unspool.engine.recall import Recall
from unspool.errors import NotFound, StoreBusy, StoreError, StoreOutdated
from unspool.source.roots import KNOWN_ROOTS, OTHERS, known_roots, remember
from unspool.source.spool import SPOOL

if TYPE_CHECKING:
    from unspool.engine.archive import Archive
    from unspool.engine.owners import Owners
    from unspool.model.rows import SourceRow
    from unspool.store import MarkBook, SqlStore, Store
    from unspool.store.sqlite.store import SqliteStore

LOCK: Final = "index.lock"
_UNUSED_MS: Final = 30 * 86_400_000


class Stores:
    """Where the index and the archive of some roots are, and how to open them.

    The user's own roots have theirs in UNSPOOL_HOME, with the spool that hooks write to. Other
    roots have one below `roots/` there.
    """

    def __init__(self, explicit: Sequence[str] = ()) -> None:
        self._scope = scope = paths.scope(explicit)
        self.roots = scope.roots
        self.home = Path(scope.home)
        self.spool = os.path.join(scope.home, SPOOL)

    def is_there(self) -> bool:
        """Whether there is an index."""
        return (self.home / paths.INDEX).exists()

    def require(self) -> None:
        """NotFound unless there is an index."""
        if not self.is_there():
            raise NotFound("There is no index yet. `unspool index build` makes one.")

    @contextmanager
    def reading(
        self, known: "dict[int, SourceRow] | None" = None
    ) -> Iterator[tuple["Store", "Archive"]]:
        """The index to be read, beside whoever writes it, and the bodies of its lines.

        `known` are its files where somebody has just asked for them: they are many.
        """
        store, archive = self._opened(known)
        try:
            yield store, archive
        finally:
            archive.close()
            store.close()

    def _opened(
        self, known: "dict[int, SourceRow] | None" = None
    ) -> tuple["SqliteStore", "Archive"]:
        from unspool.engine.archive import Archive
        from unspool.engine.listing import StatusReader
        from unspool.engine.timeline import session_hooks
        from unspool.store.sqlite.store import SqliteStore

        def text(source_id: int, generation: int, offset: int, length: int) -> str | None:
            return archive.text(source_id, generation, offset, length)

        def line(source_id: int, generation: int, offset: int, length: int) -> bytes | None:
            return archive.line(source_id, generation, offset, length)

        self._upgrade()
        with suppress(OSError):
            os.utime(self.home / KNOWN_ROOTS)  # in use: see `drop_unused`
        # A view asks for a line's text while the store is being asked.
        store = SqliteStore(
            self.home, mode="ro", bodies=text, lines=line, session_hooks=session_hooks
        )
        store.statuses = lambda: StatusReader(store, self.roots, self.spool, config.now())
        archive = Archive(store, known)
        return store, archive

    @contextmanager
    def asking(self) -> Iterator["SqlStore"]:
        """The index, for questions in SQL."""
        store, archive = self._opened()
        try:
            yield store
        finally:
            archive.close()
            store.close()

    def writing(self) -> "Store":
        """The index to be written; StoreBusy where another process does."""
        from unspool.store.sqlite.store import SqliteStore

        store = SqliteStore(self.home, mode="rw")
        self._remember()
        prices = paths.price_files()
        if store.prices() != prices.version:
            store.reprice(prices.pricer().price_of, prices.version)
        return store

    def rebuilding(self) -> "Store":
        """The same, whichever version wrote the index: it is about to be replaced."""
        from unspool.store.sqlite.store import SqliteStore

        store = SqliteStore(self.home, mode="rebuild")
        self._remember()
        return store

    @contextmanager
    def recalling(self, now: int | None = None) -> Iterator[Recall]:
        """A way back to the sessions of the roots, and to those the archive alone still has."""
        recall, archive = self.recalled()
        if now is not None:
            recall.at(now)
        try:
            yield recall
        finally:
            if archive is not None:
                archive.close()
                archive.store.close()

    def recalled(self) -> tuple[Recall, "Archive | None"]:
        """The same, and what to close where there is an archive."""
        # An index that cannot be read is no reason not to read the files.
        try:
            archive = self._opened()[1] if self.is_there() else None
            if archive is not None:
                archive.sources()
            return self.recall(archive), archive
        except StoreOutdated as error:
            config.warn(str(error))
        except StoreError:
            pass
        return self.recall(), None

    def owners(self) -> "Owners":
        """Who can tell copied responses from a session's own, for as long as we run."""
        from unspool.engine.owners import Owners
        from unspool.store.sqlite.store import SqliteStore

        try:
            store = SqliteStore(self.home, mode="ro") if self.is_there() else None
        except StoreError:
            store = None
        return Owners(self.roots, store)

    def marks(self) -> "MarkBook":
        """What the user decided about sessions."""
        from unspool.store.sqlite.marks import MarkStore

        return MarkStore(self.home)

    def recall(self, archive: "Archive | None" = None) -> Recall:
        """A way back to the sessions of the roots by their files, and by an archive of them."""
        prices, now = config.prices(), config.now()
        return Recall.in_home(self._scope, prices, now=now, home=Path.home(), archive=archive)

    def _upgrade(self) -> None:
        """Bring an index of an earlier version up to this one; a reader alone cannot."""
        from unspool.store.sqlite.migrations import is_older

        if is_older(self.home / paths.INDEX):
            try:
                self.writing().close()
            except StoreBusy as busy:
                raise StoreOutdated(
                    f"{self.home / paths.INDEX} is of an earlier version and in use by process"
                    f" {busy.pid}. Stop that process and try again."
                ) from busy

    def _remember(self) -> None:
        with suppress(OSError):  # a full disk: the next who writes does it
            remember(str(self.home), self.roots)
        drop_unused(config.unspool_home() / OTHERS, config.now())


def drop_unused(others: Path, now: int) -> None:
    """Remove the indexes of other roots that are gone, or that nobody asked about for 30 days."""
    for home in others.iterdir() if others.is_dir() else ():
        with suppress(OSError, StoreBusy):
            used = (home / KNOWN_ROOTS if (home / KNOWN_ROOTS).exists() else home).stat().st_mtime
            roots = known_roots(str(home))
            is_gone = bool(roots) and not any(os.path.isdir(root.path) for root in roots)
            if is_gone or now - used * 1_000 > _UNUSED_MS:
                _drop(home)


def _drop(home: Path) -> None:
    from unspool.store.sqlite.lock import WriterLock

    lock = WriterLock(home / LOCK)  # not while somebody writes it
    try:
        shutil.rmtree(home)
    finally:
        lock.release()
