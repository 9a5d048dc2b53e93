"""The machines of a hub and its audit, as one person may see and manage them."""

from collections.abc import Callable, Sequence

from unspool.engine.sessions.lines import TranscriptLine
from unspool.hub.machines import machine_detail, machine_rows, team_today
from unspool.model.shipping import (
    AuditEntry,
    MachineDetail,
    MachineRow,
    PersonIdentity,
    TeamToday,
)
from unspool.serve.problems import Refused
from unspool.store.postgres.audit import AuditTable
from unspool.store.postgres.database import Pool
from unspool.store.postgres.people import PeopleTable


class PersonalFleet:
    """`owners` are those whose machines this person sees; the list may grow meanwhile."""

    def __init__(
        self, pool: Pool, person: PersonIdentity, owners: Sequence[int], now: Callable[[], int]
    ) -> None:
        self._people, self._audit = PeopleTable(pool), AuditTable(pool)
        self._owner, self._owners, self._now = person.owner, owners, now
        self.person, self.is_admin = person.name, person.role == "admin"

    def machines(self) -> Sequence[MachineRow]:
        return machine_rows(self._people, self._now(), self._owners)

    def machine(self, name: str) -> MachineDetail:
        return machine_detail(self._people, name, self._now(), self._owners)

    def team(self) -> TeamToday:
        return team_today(self._people, self._now())

    def revoke(self, name: str) -> None:
        self._must_manage(name)
        self._people.revoke(name, self._now(), by=self._owner)

    def rotate(self, name: str) -> str:
        self._must_manage(name)
        return self._people.rotate(name, self._now(), by=self._owner)

    def audit(self, before: int | None, limit: int) -> Sequence[AuditEntry]:
        self._must_be_admin()
        return self._audit.entries(before, limit)

    def note(self, what: str, about: str, address: str) -> None:
        self._audit.note(what, about, self._now(), person=self._owner, address=address)

    def write(self, event_id: str, line: TranscriptLine, address: str) -> None:
        """Note a line that was revealed."""
        self.note("revealed", f"{line.project_id}/{line.session_id} {event_id}", address)

    def _must_manage(self, name: str) -> None:
        self.machine(name)  # one that somebody may not see is not there
        self._must_be_admin()

    def _must_be_admin(self) -> None:
        if not self.is_admin:
            raise Refused(403, "Only an admin may do that.")
