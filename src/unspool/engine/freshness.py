"""Before the index is read: bring it up to date, if that is quick."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from unspool.engine.sessions.listing import Listing
from unspool.engine.stores import Stores
from unspool.errors import StoreBusy, StoreError, StoreFull, StoreOutdated
from unspool.model.files import Root
from unspool.model.rows import SourceRow
from unspool.model.session import SessionSummary
from unspool.source.files import scan_files
from unspool.source.spool import spool_files

if TYPE_CHECKING:
    from unspool.engine.indexing.run import Progress
    from unspool.store import Store

# About two seconds of work.
QUICK: Final = 50 * 1024 * 1024

Sources: TypeAlias = dict[int, SourceRow]


class Freshness(Enum):
    """How far the index can be trusted to hold what is on disk."""

    FRESH = auto()
    BEHIND = auto()  # too much is missing to be taken in while somebody waits
    ABSENT = auto()


def freshen(
    stores: Stores, *, create: bool = False, progress: "Progress | None" = None
) -> Freshness:
    """Bring the index up to date; `create` makes one if there is little to read."""
    if is_up_to_date(stores):
        return Freshness.FRESH
    return freshened(stores, create=create, progress=progress)[0]


def freshened(
    stores: Stores, *, create: bool = False, progress: "Progress | None" = None
) -> tuple[Freshness, Sources | None]:
    """The same, and what the index knows of every file, if that has not changed."""
    is_there = stores.is_there()
    if not is_there and not create:
        return Freshness.ABSENT, None
    # Not needed where there is no index.
    from unspool.engine.indexing.spool import spool_sources  # noqa: PLC0415
    from unspool.engine.indexing.survey import changed, survey  # noqa: PLC0415

    with stores.reading() as (_, archive):
        known = archive.sources()
    seen = survey(stores.roots, known)
    found = changed(spool_sources(stores.spool), known) + seen.found
    if is_there and not found and not seen.gone:
        return Freshness.FRESH, known
    # In an index that was only begun there is nothing to find.
    left = Freshness.BEHIND if any(one.offset for one in known.values()) else Freshness.ABSENT
    if sum(one.new_bytes for one in found) > QUICK:
        return left, known
    return _index(stores, left, progress), None


def session_rows(
    stores: Stores, now: int, *, progress: "Progress | None" = None, **wanted: Any
) -> Iterator[SessionSummary]:
    """Sessions, newest activity first: by an index that is up to date, or else by their files."""
    if _is_fresh(stores, progress):
        with stores.reading() as (store, _):
            yield from listing_of(stores, store, now).summaries(**wanted)
    else:
        with stores.reading_sessions(now) as sessions:
            yield from sessions.summaries(**wanted)


def listing_of(stores: Stores, store: "Store", now: int) -> Listing:
    """The sessions of an index, with marks and groups."""
    marks, groups = stores.marks().all(), stores.groups.current()
    return Listing(
        store,
        stores.roots,
        stores.spool,
        now,
        marks=marks,
        groups=groups,
        quota=stores.recent_quota,
    )


def _is_fresh(stores: Stores, progress: "Progress | None") -> bool:
    try:
        return freshen(stores, progress=progress) is Freshness.FRESH
    except StoreOutdated as error:
        stores.machine.warn(str(error))
        return False
    except StoreError:
        return False  # doctor and search say what is wrong with it; the files can be read


def _index(stores: Stores, left: Freshness, progress: "Progress | None") -> Freshness:
    from unspool.engine.indexing.backfill import build  # noqa: PLC0415 - not needed by most

    prices, now = stores.prices(), stores.machine.now()
    try:
        build(stores.writing, stores.roots, prices, now, progress, spool=stores.spool)
    except StoreBusy:
        return Freshness.FRESH  # its writer will have what is missing in a moment
    except StoreFull:
        return left
    return Freshness.FRESH


def is_up_to_date(stores: Stores) -> bool:
    """Whether there is an index that has every file as it is."""
    if not stores.is_there():
        return False
    with stores.reading() as (store, _):
        return is_unchanged(stores.roots, stores.spool, store)


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
