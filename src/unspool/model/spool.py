"""The spool: hook events in the order they came, and the places where one is damaged."""

from msgspec import Struct

from unspool.model.files import TailState


class SpoolFile(Struct, frozen=True):
    """One file of the spool, as it stands."""

    path: str
    name: str
    size: int
    mtime_ns: int
    inode: int


class SpoolEvent(Struct, frozen=True, gc=False):
    """One event and where it lies; `at` is in milliseconds, and `cut` says the end is missing."""

    offset: int
    length: int
    at: int
    payload: bytes
    cut: bool = False


class SpoolGap(Struct, frozen=True, gc=False):
    """Bytes that are no whole event: torn, or damaged since."""

    offset: int
    length: int


class SpoolPiece(Struct, frozen=True):
    """What one read of a spool file gave, and where the next one goes on."""

    state: TailState
    events: tuple[SpoolEvent, ...] = ()
    gaps: tuple[SpoolGap, ...] = ()
    more: bool = False
