"""Every error unspool raises on purpose.

    UnspoolError
    ├── SourceError          a file that is there but cannot be read
    ├── NotFound             a session, root or agent that does not exist
    ├── Ambiguous            a name that fits several sessions; carries the candidates
    ├── ConfigError          a setting that cannot be honoured
    ├── InvalidEvent         a hook event that cannot be taken
    │   └── EventTooLong     because of its size
    └── StoreError           the index or the archive cannot be used as asked
        ├── StoreBusy        another process writes it; carries the process's id
        ├── SchemaTooNew     a newer unspool wrote it
        ├── StoreOutdated    an earlier unspool wrote it, and it must be rebuilt
        ├── StoreFull        the disk is full or not writable; nothing was written
        └── StoreCorrupt     its bytes are damaged

A bad line is never an exception: it is kept as a value and counted.
"""

from collections.abc import Sequence


class UnspoolError(Exception):
    """Base of the tree above; its message says what to do next."""


class SourceError(UnspoolError):
    """A transcript or one of its neighbours cannot be read."""


class NotFound(UnspoolError):
    """Asked for something that is not there."""


class Ambiguous(UnspoolError):
    """A name that fits more than one session."""

    def __init__(self, message: str, candidates: Sequence[str]) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class ConfigError(UnspoolError):
    """A setting cannot be honoured as written."""


class InvalidEvent(UnspoolError):
    """A hook event that cannot be taken."""


class EventTooLong(InvalidEvent):
    """A hook event that is too large to be kept."""


class StoreError(UnspoolError):
    """The index or the archive cannot be used as asked."""


class StoreBusy(StoreError):
    """Another process writes this index; readers are welcome beside it."""

    def __init__(self, message: str, pid: int = 0) -> None:
        super().__init__(message)
        self.pid = pid


class SchemaTooNew(StoreError):
    """A newer unspool wrote this index: this one only reads it."""


class StoreOutdated(StoreError):
    """An earlier unspool wrote this index: `unspool index rebuild` makes it this version's."""


class StoreFull(StoreError):
    """No room, or no right, to write. Nothing was written; the next try may go well."""


class StoreCorrupt(StoreError):
    """Damaged bytes in the index or the archive."""
