"""Every error unspool raises on purpose.

    UnspoolError
    ├── SourceError          a file that exists but cannot be read
    ├── NotFound             a session, root or agent that does not exist
    │   └── SessionDeleted   Claude Code deleted it before it was archived
    ├── Ambiguous            a name that matches several sessions; has the candidates
    ├── ConfigError          a setting that cannot be honoured
    │   └── UsageError       a question that is not valid: a pattern, a date, a statement
    ├── InvalidEvent         a hook event that cannot be taken
    │   └── EventTooLong     because of its size
    └── StoreError           the index or the archive cannot be used as asked
        ├── StoreBusy        another process is writing it; has that process's id
        ├── SchemaTooNew     a newer unspool wrote it
        ├── StoreOutdated    an earlier unspool wrote it, and it must be rebuilt
        ├── StoreFull        the disk is full or not writable; nothing was written
        ├── ShipmentUnfit    rows of a machine that the hub's database takes in no form
        └── StoreCorrupt     its bytes are damaged

A bad line is never an exception: it becomes a value and is counted.
"""

from collections.abc import Sequence


class UnspoolError(Exception):
    """Base of the tree above; its message says what to do next."""


class SourceError(UnspoolError):
    """A transcript, or a file beside it, cannot be read."""


class NotFound(UnspoolError):
    """A session, root or agent does not exist."""


class SessionDeleted(NotFound):
    """Claude Code deleted a session before it was archived."""


class Ambiguous(UnspoolError):
    """A name matches more than one session."""

    def __init__(self, message: str, candidates: Sequence[str]) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class ConfigError(UnspoolError):
    """A setting cannot be honoured as written."""


class UsageError(ConfigError):
    """What was asked is not valid, whatever there is to read."""


class InvalidEvent(UnspoolError):
    """A hook event that cannot be taken."""


class EventTooLong(InvalidEvent):
    """A hook event that is too large to be kept."""


class StoreError(UnspoolError):
    """The index or the archive cannot be used as asked."""


class StoreBusy(StoreError):
    """Another process is writing this index; it can still be read."""

    def __init__(self, message: str, pid: int = 0) -> None:
        super().__init__(message)
        self.pid = pid


class SchemaTooNew(StoreError):
    """A newer unspool wrote this index: this version can only read it."""


class StoreOutdated(StoreError):
    """An earlier unspool wrote this index: run `unspool index rebuild`."""


class StoreFull(StoreError):
    """No space or no permission to write. Nothing was written; a retry may succeed."""


class ShipmentUnfit(StoreError):
    """Rows that a machine has sent, of which the database does not take a value."""


class StoreCorrupt(StoreError):
    """Damaged bytes in the index or the archive."""
