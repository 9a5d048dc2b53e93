"""Before the index is read: what is new is taken in, where that is quick."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from unspool.cli import config, stores
from unspool.cli.progress import Bar
from unspool.errors import StoreBusy, StoreFull
from unspool.model.files import Root

# About two seconds of work.
QUICK: Final = 50 * 1024 * 1024


class Freshness(Enum):
    """How far the index can be trusted to hold what is on disk."""

    FRESH = auto()
    BEHIND = auto()  # too much is missing to be taken in while somebody waits
    ABSENT = auto()


def freshen(roots: Sequence[Root], *, create: bool = False) -> Freshness:
    """Bring the index up to date; `create` makes one where there is little to read."""
    is_there = stores.is_there()
    if not is_there and not create:
        return Freshness.ABSENT
    from unspool.ingest.survey import survey

    with stores.reading() as (_, archive):
        known = archive.sources()
        seen = survey(roots, known)
    if is_there and not seen.found and not seen.gone:
        return Freshness.FRESH
    # A first report on costs leaves an index in which there is nothing to find.
    left = Freshness.BEHIND if any(one.offset for one in known.values()) else Freshness.ABSENT
    if sum(one.new_bytes for one in seen.found) > QUICK:
        return left
    return _taken(roots, left)


def _taken(roots: Sequence[Root], left: Freshness) -> Freshness:
    from unspool.ingest.backfill import build

    bar = Bar("Indexing")
    try:
        build(stores.writing, roots, config.prices(), config.now(), bar)
    except StoreBusy:
        # Whoever writes it will have what is missing in a moment.
        return Freshness.FRESH
    except StoreFull:
        return left
    finally:
        bar.close()
    return Freshness.FRESH
