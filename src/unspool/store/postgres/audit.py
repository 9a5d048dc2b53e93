"""What people and machines did on a hub: only ever added to, and without secrets."""

from typing import Final

from unspool.model.shipping import AuditEntry
from unspool.store.postgres.database import Connection
from unspool.store.postgres.tables import HubTable, ask, run

_NOTE: Final = """
    INSERT INTO audit (at, person, machine, what, about, address)
    VALUES (%(at)s, %(person)s, %(machine)s, %(what)s, %(about)s, %(address)s)
"""
_ENTRIES: Final = """
    SELECT a.id, a.at, p.name, m.name, a.what, a.about, nullif(a.address, '') FROM audit AS a
    LEFT JOIN person AS p ON p.owner = a.person LEFT JOIN machine AS m ON m.machine = a.machine
    WHERE a.id < %(before)s ORDER BY a.id DESC LIMIT %(limit)s
"""
_LARGEST: Final = 2**63 - 1
# A name or a directory that is longer is not needed to know what was done.
_LONGEST: Final = 1_000


class AuditTable(HubTable):
    """Notes, and reads them back."""

    def note(
        self,
        what: str,
        about: str,
        now: int,
        *,
        person: int | None,
        machine: int | None = None,
        address: str,
    ) -> None:
        """Write down what somebody did."""
        who = {"person": person, "machine": machine}
        with self._changing() as connection:
            note(connection, now, what, about, **who, address=address)

    def entries(self, before: int | None, limit: int) -> list[AuditEntry]:
        """The newest first; a page ends where the next one begins."""
        given = {"before": _LARGEST if before is None else before, "limit": limit}
        names = AuditEntry.__struct_fields__
        with self._changing() as connection:
            rows = ask(connection, _ENTRIES, **given)
        return [AuditEntry(**dict(zip(names, row, strict=True))) for row in rows]


def note(  # noqa: PLR0913 - the columns of a row
    connection: Connection,
    at: int,
    what: str,
    about: str,
    *,
    person: int | None = None,
    machine: int | None = None,
    address: str = "",
) -> None:
    """Write it down in the transaction that does it."""
    who = {"person": person, "machine": machine, "address": address[:_LONGEST]}
    run(connection, _NOTE, at=at, what=what, about=about[:_LONGEST], **who)
