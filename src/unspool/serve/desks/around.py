"""What all parts of the desk share: where to read, whom to ask for the time, what to hide."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from unspool.engine.setting import Watching
from unspool.model.files import Root
from unspool.model.health import Finding, IndexStatus
from unspool.model.prices import PriceTable
from unspool.redact import Redactor
from unspool.store import Store, TimelineStore


class Around(Struct, frozen=True, kw_only=True):
    """Given once, when the server starts."""

    home: Path  # UNSPOOL_HOME
    roots: Sequence[Root]
    prices: PriceTable
    store: TimelineStore
    # The same store once more, which asks a function for the text of a line.
    search_store: Callable[[Callable[[int, int, int, int], str | None]], Store]
    now: Callable[[], int]
    user_home: Path | None = None  # where a CLAUDE.md for all projects lies
    index: Callable[[], IndexStatus]  # how far the index is behind the roots
    redactor: Redactor
    checks: Callable[[], Sequence[Finding]] = tuple  # what the doctor has to say
    watching: Watching = Watching()  # what the live board looks at beside the roots
    demo: str = ""  # what every page says where the sessions are made up
    inbox: Path | None = None  # where events that are handed in go, if not to `spool`

    @property
    def spool(self) -> str:
        """Where hooks leave their events."""
        return self.watching.spool or str(self.home / "spool")
