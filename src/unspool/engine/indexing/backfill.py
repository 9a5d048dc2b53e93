"""A whole history -> the store, with as many processes as the machine has."""

from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext

from unspool.engine.indexing.indexer import WORTH_WORKERS, Indexer, SweepReport
from unspool.engine.indexing.run import Progress
from unspool.engine.indexing.workers import Workers, usual_count
from unspool.model.files import Root
from unspool.model.prices import PriceTable
from unspool.source.files import scan_files
from unspool.store import Store


def build(
    open_store: Callable[[], Store],
    roots: Sequence[Root],
    prices: PriceTable,
    now: int,
    progress: Progress | None = None,
    *,
    spool: str | None = None,
) -> SweepReport:
    """Bring an index up to date; the store is opened when the workers are there."""
    with forked(roots) as workers, closing(open_store()) as store:
        indexer = Indexer(store, roots, prices, workers=workers, progress=progress, spool=spool)
        return indexer.sweep(now)


def forked(roots: Sequence[Root]) -> Workers | nullcontext[None]:
    """Workers, where there is enough to read for them; call it before anything is opened."""
    files = (file for root in roots for file in scan_files(root, with_sessions=False))
    total = sum(file.info.st_size for file in files)
    count = usual_count() if total >= WORTH_WORKERS else 0
    return Workers(count) if count else nullcontext()
