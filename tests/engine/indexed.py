"""Roots that have been indexed, for tests that read the index."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.engine.roots import NOW, PRICES
from unspool.engine.archive.reader import Archive
from unspool.engine.indexing.backfill import build
from unspool.model.files import Root
from unspool.source.roots import find_roots
from unspool.store.sqlite.store import SqliteStore


def roots(root: Path) -> list[Root]:
    """The root as a reader names it."""
    return find_roots([root], {}, root)


def index(root: Path, *, now: int = NOW) -> None:
    """Bring a root's index up to date; it lies beside the root's own directories."""
    build(lambda: SqliteStore(root / "un"), roots(root), PRICES, now)


@contextmanager
def archive(root: Path) -> Iterator[Archive]:
    """Index a root, and open what there is to be read."""
    index(root)
    with closing(SqliteStore(root / "un", mode="ro")) as store, closing(Archive(store)) as made:
        yield made
