"""Some roots with their index, prices and clock: what long-lived parts of a server share."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from platform import node

from msgspec import Struct

from unspool.engine.sessions.options import BoardOptions
from unspool.engine.sessions.project_groups import ProjectGroups
from unspool.model.files import Root
from unspool.model.prices import PriceTable
from unspool.remote_paths import machine_in
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

    @property
    def own_machine(self) -> str:
        """What this machine is called; a hub has no sessions of its own."""
        return node() if self.has_files else ""

    def machines(self) -> set[str]:
        """The machines that sessions are of, this one among them if it has some."""
        return {root.machine or self.own_machine for root in self.roots}

    def machine_of(self, project_id: str) -> str:
        """The machine of a project's sessions."""
        return self._machine_of(project_id, self.machines())

    def of_machine(self, machine: str) -> Callable[[str], bool]:
        """Whether a project, by its id, is of a machine; "" is any."""
        names = self.machines()
        return lambda id: not machine or self._machine_of(id, names) == machine

    def _machine_of(self, project_id: str, names: Collection[str]) -> str:
        found = machine_in(project_id)  # a directory may be called as if it were of a machine
        return found if found in names else self.own_machine
