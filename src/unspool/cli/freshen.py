"""Before the index is read: what is new is taken in, where that is quick."""

from enum import Enum, auto
from typing import Final, TypeAlias

from unspool.cli import config
from unspool.cli.progress import Bar
from unspool.cli.stores import Stores
from unspool.errors import StoreBusy, StoreFull
from unspool.model.rows import SourceRow

# About two seconds of work.
QUICK: Final = 50 * 1024 * 1024


Sources: TypeAlias = dict[int, SourceRow]


class Freshness(Enum):
    """How far the index can be trusted to hold what is on disk."""

    FRESH = auto()
    BEHIND = auto()  # too much is missing to be taken in while somebody waits
    ABSENT = auto()


def freshen(stores: Stores, *, create: bool = False) -> Freshness:
    """Bring the index up to date; `create` makes one where there is little to read."""
    return freshened(stores, create=create)[0]


def freshened(stores: Stores, *, create: bool = False) -> tuple[Freshness, Sources | None]:
    """The same, and what the index knows of every file where that has not changed."""
    is_there = stores.is_there()
    if not is_there and not create:
        return Freshness.ABSENT, None
    from unspool.ingest.spooled import spooled
    from unspool.ingest.survey import changed, survey

    with stores.reading() as (_, archive):
        known = archive.sources()
    seen = survey(stores.roots, known)
    found = changed(spooled(stores.spool), known) + seen.found
    if is_there and not found and not seen.gone:
        return Freshness.FRESH, known
    # A first report on costs leaves an index in which there is nothing to find.
    left = Freshness.BEHIND if any(one.offset for one in known.values()) else Freshness.ABSENT
    if sum(one.new_bytes for one in found) > QUICK:
        return left, known
    return _taken(stores, left), None


def _taken(stores: Stores, left: Freshness) -> Freshness:
    from unspool.ingest.backfill import build

    bar = Bar("Indexing")
    try:
        prices, now = config.prices(), config.now()
        build(stores.writing, stores.roots, prices, now, bar, spool=stores.spool)
    except StoreBusy:
        # Whoever writes it will have what is missing in a moment.
        return Freshness.FRESH
    except StoreFull:
        return left
    finally:
        bar.close()
    return Freshness.FRESH
