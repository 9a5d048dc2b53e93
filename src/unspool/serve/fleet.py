"""The machines of a hub as one person sees and manages them; a server of one machine has none."""

from collections.abc import Sequence
from typing import Protocol

from unspool.model.shipping import AuditEntry, MachineDetail, MachineRow, TeamToday


class Fleet(Protocol):
    """What the pages of a hub ask for one person, from any thread."""

    person: str
    is_admin: bool

    def machines(self) -> Sequence[MachineRow]:
        """The machines this person may see, by name."""

    def machine(self, name: str) -> MachineDetail:
        """One of them; NotFound."""

    def team(self) -> TeamToday:
        """All machines together, also those this person may not see."""

    def revoke(self, name: str) -> None:
        """Take nothing more from a machine; Refused unless an admin asks."""

    def rotate(self, name: str) -> str:
        """A code for another key of a machine; Refused unless an admin asks."""

    def audit(self, before: int | None, limit: int) -> Sequence[AuditEntry]:
        """What was done, the newest first; Refused unless an admin asks."""

    def note(self, what: str, about: str, address: str) -> None:
        """Write down what this person did; if that fails, it raises, and it must not be done."""
