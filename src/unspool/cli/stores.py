"""The index and the archive in UNSPOOL_HOME, opened for those who read and the one who writes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from unspool.cli import config
from unspool.errors import NotFound, StoreError
from unspool.recall import Recall

if TYPE_CHECKING:
    from unspool.model.rows import SourceRow
    from unspool.recall.archive import Archive
    from unspool.store.sqlite.store import SqliteStore

INDEX, LOCK = "index.db", "index.lock"


def is_there() -> bool:
    """Whether there is an index."""
    return (config.unspool_home() / INDEX).exists()


def required() -> None:
    """NotFound unless there is an index."""
    if not is_there():
        raise NotFound("There is no index yet. `unspool index build` makes one.")


@contextmanager
def reading(
    known: "dict[int, SourceRow] | None" = None,
) -> Iterator[tuple["SqliteStore", "Archive"]]:
    """The index to be read, beside whoever writes it, and the bodies of its lines.

    `known` are its files where somebody has just asked for them: they are many.
    """
    from unspool.recall.archive import Archive
    from unspool.store.sqlite.store import SqliteStore

    def text(source_id: int, generation: int, offset: int, length: int) -> str | None:
        return archive.text(source_id, generation, offset, length)

    def line(source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        return archive.line(source_id, generation, offset, length)

    # A view asks for a line's text while the store is being asked.
    store = SqliteStore(config.unspool_home(), mode="ro", bodies=text, lines=line)
    archive = Archive(store, known)
    try:
        yield store, archive
    finally:
        archive.close()
        store.close()


def writing() -> "SqliteStore":
    """The index to be written; StoreBusy where another process does."""
    from unspool.store.sqlite.store import SqliteStore

    return SqliteStore(config.unspool_home(), mode="rw")


@contextmanager
def recalling(explicit: Sequence[str]) -> Iterator[Recall]:
    """A way back to the sessions of the roots, and to those the archive alone still has."""
    recall = config.recall(explicit)
    if not is_there():
        yield recall
        return
    with reading() as (_, archive):
        # An index that cannot be read is no reason not to read the files.
        with suppress(StoreError):
            archive.sources()
            recall.remember(archive)
            recall.listen(config.spool(), archive)
        yield recall
