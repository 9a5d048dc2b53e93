"""Every error unspool raises on purpose.

    UnspoolError
    ├── SourceError          a file that is there but cannot be read
    ├── NotFound             a session, root or agent that does not exist
    ├── Ambiguous            a name that fits several sessions; carries the candidates
    └── ConfigError          a setting that cannot be honoured

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
