"""Before the index is read: what is new is taken in, where that is quick."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from unspool.cli import config
from unspool.cli.progress import ProgressBar
from unspool.cli.stores import Stores
from unspool.errors import StoreBusy, StoreError, StoreFull, StoreOutdated
from unspool.model.files import Root
from unspool.model.rows import SourceRow
from unspool.model.session import SessionSummary
from unspool.source.files import scan_files
from unspool.source.spool import spool_files

if TYPE_CHECKING:
    from unspool.store import Store

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
    from unspool.engine.indexing.spooled import spooled
    from unspool.engine.indexing.survey import changed, survey

    with stores.reading() as (_, archive):
        known = archive.sources()
    seen = survey(stores.roots, known)
    found = changed(spooled(stores.spool), known) + seen.found
    if is_there and not found and not seen.gone:
        return Freshness.FRESH, known
    # In an index that was only begun there is nothing to find.
    left = Freshness.BEHIND if any(one.offset for one in known.values()) else Freshness.ABSENT
    if sum(one.new_bytes for one in found) > QUICK:
        return left, known
    return _taken(stores, left), None


def listed(stores: Stores, now: int, **wanted: Any) -> Iterator[SessionSummary]:
    """Sessions, newest activity first: by the index, or where it cannot be had by their files."""
    if _is_fresh(stores):
        from unspool.engine.listing import Listing

        with stores.reading() as (store, _):
            marks = stores.marks().all()
            listing = Listing(store, stores.roots, stores.spool, now, marks=marks)
            yield from listing.summaries(**wanted)
    else:
        with stores.recalling(now) as recall:
            yield from recall.summaries(**wanted)


def _is_fresh(stores: Stores) -> bool:
    try:
        return freshen(stores) is Freshness.FRESH
    except StoreOutdated as error:
        config.warn(str(error))
        return False
    except StoreError:
        return False  # doctor and search say what is wrong with it; the files can be read


def _taken(stores: Stores, left: Freshness) -> Freshness:
    from unspool.engine.indexing.backfill import build

    bar = ProgressBar("Indexing")
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


def is_unchanged(roots: Sequence[Root], spool: str, store: "Store") -> bool:
    """Whether the index has every file as it is, found out by one look at each.

    Where that cannot be known so cheaply the answer is no, and a survey finds out what there is.
    """
    if any(root.only is not None for root in roots):
        return False
    with suppress(OSError, ValueError, StoreError):
        files = (file for root in roots for file in scan_files(root, with_sessions=False))
        seen = {file.state for file in files}
        waiting = {(file.path, file.size, file.mtime_ns) for file in spool_files(spool)}
        known, ours = store.file_states(), {root.path for root in roots}
        states = [(root, (root + os.sep + path, *state)) for root, path, *state in known]
        has = {state for root, state in states if root in ours}
        return seen == has and waiting <= {state for _, state in states}
    return False
