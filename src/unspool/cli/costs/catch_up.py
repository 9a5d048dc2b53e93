"""A ledger that is behind -> one that is not; where it cannot be written, the sums all the same."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from msgspec import structs

from unspool.cli.costs import given
from unspool.cli.costs.asked import Asked, asked
from unspool.cli.costs.scanning import scanned
from unspool.derive.usage.prices import Pricer
from unspool.errors import StoreBusy, StoreError, UnspoolError
from unspool.ingest.scan.files import Scan, scan, unread
from unspool.ingest.scan.tally import Tally
from unspool.model.costs import Total
from unspool.model.files import TranscriptFile
from unspool.model.rows import SourceRow
from unspool.source import tail
from unspool.source.session_files import transcript_at
from unspool.store.sqlite.store import SqliteStore
from unspool.store.sqlite.totals import read_totals

# Whoever keeps an index up to date is not further behind, unless it has only begun.
_PATIENCE: Final = 2.0
_OFTEN: Final = 0.05


def caught_up(wanted: Asked) -> list[Total]:
    """Scan what changed, write it down, and give the sums of the whole ledger."""
    try:
        with closing(SqliteStore(Path(wanted.home))) as store:
            _take(store, wanted)
    except StoreBusy:
        if not _is_fresh_soon(wanted.explicit):
            return scanned(wanted)
    except StoreError:
        return scanned(wanted)
    return read_totals(wanted.ledger)


def _is_fresh_soon(explicit: Sequence[str]) -> bool:
    end = monotonic() + _PATIENCE
    while monotonic() < end:
        if asked(explicit).is_fresh:
            return True
        sleep(_OFTEN)
    return False


def _take(store: SqliteStore, wanted: Asked) -> None:
    pricer, roots = Pricer(given.prices()), given.roots(wanted)
    if store.prices() != wanted.prices:
        store.reprice(pricer.price_of, wanted.prices)
    marks, tally = Marks(store), Tally(pricer)
    for path, _, _ in wanted.changed:
        file = transcript_at(roots, path, is_scanned=True)
        try:
            if file is not None:
                tally.add(marks.advanced(scan(file, marks.start(file))))
        except UnspoolError:
            continue  # gone, or closed to us: it is looked at again next time
    store.commit_usages(tally.drain(), tally.price)


class Marks:
    """How far the ledger has read each file, and from where to go on."""

    def __init__(self, store: SqliteStore) -> None:
        self._spent = store.usage_sources()
        self._sources = {source.source_id: source for source in store.sources()}

    def start(self, file: TranscriptFile) -> SourceRow:
        """Where to begin: only an index can prove that what was read is still there."""
        fresh = unread(file)
        known = self._spent.get(fresh.source_id)
        if known is None:
            return fresh
        generation, offset, _ = known
        if file.size < offset:
            return structs.replace(fresh, generation=generation + 1)
        source = self._sources.get(fresh.source_id)
        if source is None or (source.generation, source.offset) != (generation, offset):
            return structs.replace(fresh, generation=generation)
        piece = tail.read(file.path, source.tail, limit=1)
        if piece.reset:
            return structs.replace(fresh, generation=piece.generation)
        return structs.replace(fresh, generation=generation, offset=offset)

    def advanced(self, found: Scan) -> Scan:
        """A mark that does not lie behind the last one: a store would not take it."""
        source = found.source
        known = self._spent.get(source.source_id)
        if known is None or (source.generation, source.offset, source.mtime_ns) > known:
            return found
        return found._replace(source=structs.replace(source, generation=known[0] + 1))
