"""What the machine has and what the hub has -> what to ship of a source next."""

from hashlib import blake2b
from typing import Final, NamedTuple

from unspool.model.rows import SourceRow
from unspool.model.shipping import SourceState
from unspool.store import RawStore

_MARK_BYTES: Final = 4096
_DIGEST: Final = 8


class LocalSource(NamedTuple):
    """A file as the local index has it, and its generations in the archive, oldest first."""

    row: SourceRow
    generations: tuple[int, ...]

    @property
    def is_settled(self) -> bool:
        """Whether it was read to its end; without a time a sweep will look at it again."""
        return self.row.mtime_ns != 0 or self.row.gone_at is not None


class NextStretch(NamedTuple):
    """Where to go on: a generation and an offset of it, as which edition of the source."""

    generation: int
    offset: int
    edition: int


def mark(store: RawStore, source_id: int, generation: int, offset: int) -> bytes:
    """What proves that the bytes before a place are the same; nothing precedes the first one."""
    if offset == 0:
        return b""
    length = min(offset, _MARK_BYTES)
    data = store.raw(source_id, generation, offset - length, length)
    return blake2b(data or b"", digest_size=_DIGEST).digest()


def next_stretch(
    local: LocalSource, known: SourceState | None, store: RawStore
) -> NextStretch | None:
    """What to ship next; None where the hub has all of it, or the machine has not read it yet."""
    if not local.generations:
        return None
    if known is None:
        return NextStretch(local.generations[0], 0, 0)
    found = _following(local, known, store)
    if found is None or found.edition != known.edition:
        return found
    before = mark(store, local.row.source_id, found.generation, found.offset)
    return found if before.hex() == known.mark else from_start(local, known)


def from_start(local: LocalSource, known: SourceState) -> NextStretch:
    """The hub was sent another past than the one that is here: the machine was restored."""
    return NextStretch(local.row.generation, 0, known.edition + 1)


def all_again(local: LocalSource, known: SourceState) -> NextStretch:
    """Everything that is here, in the place of what the hub was sent in another way."""
    return NextStretch(local.generations[0], 0, known.edition + 1)


def _following(local: LocalSource, known: SourceState, store: RawStore) -> NextStretch | None:
    if known.generation not in local.generations:
        return from_start(local, known)
    if known.generation == local.row.generation:
        return _of_newest(local, known, store)
    if known.archived < store.archived(local.row.source_id, known.generation):
        return NextStretch(known.generation, known.offset, known.edition)
    later = next(one for one in local.generations if one > known.generation)
    return NextStretch(later, 0, known.edition + 1)


def _of_newest(local: LocalSource, known: SourceState, store: RawStore) -> NextStretch | None:
    row = local.row
    if row.offset < known.offset:
        # A copy of the index that is older, or a new one that is being made.
        is_other = local.is_settled and row.offset > 0
        return from_start(local, known) if is_other else None
    here = NextStretch(row.generation, known.offset, known.edition)
    if row.offset > known.offset or known.is_gone != (row.gone_at is not None):
        return here
    has_rest = row.size > row.offset and known.archived < row.size
    if has_rest and known.archived < store.archived(row.source_id, row.generation):
        return here
    return None
