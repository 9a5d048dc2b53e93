"""Some roots with their index, prices and clock: what long-lived parts of a server share."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from unspool.engine.sessions.options import BoardOptions
from unspool.engine.sessions.project_groups import ProjectGroups
from unspool.model.files import Root
from unspool.model.prices import PriceTable
from unspool.store import Store


class IndexedRoots(Struct, frozen=True, kw_only=True):
    """Read only: another process writes the index."""

    home: Path  # UNSPOOL_HOME
    roots: Sequence[Root]
    has_files: bool = True  # False: its sessions are of other machines, and only the index has them
    # Why the machine of a project sends no lines, as a sentence; "" where it does.
    withheld: Callable[[str], str] = lambda _: ""
    prices: PriceTable
    store: Store
    now: Callable[[], int]
    user_home: Path | None = None  # where a CLAUDE.md for all projects is
    groups: ProjectGroups = ProjectGroups()
    watching: BoardOptions = BoardOptions()  # what the live board looks at beside the roots

    @property
    def spool(self) -> str:
        """The directory where hooks leave their events; "" where there are none."""
        return self.watching.spool or (str(self.home / "spool") if self.has_files else "")
