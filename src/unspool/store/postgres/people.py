"""People, machines, their keys and codes: made here, kept as hashes, looked up by them."""

import secrets
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from unspool.errors import ConfigError, NotFound
from unspool.model.shipping import (
    EnrolAnswer,
    EnrolRequest,
    MachineIdentity,
    PersonIdentity,
    PersonRow,
    Role,
)
from unspool.store.postgres.audit import note
from unspool.store.postgres.database import Connection, Row
from unspool.store.postgres.machines import MachineTable
from unspool.store.postgres.schema import LOCK
from unspool.store.postgres.tables import ask, run

CODE_MS: Final = 15 * 60_000
ROTATION_MS: Final = 24 * 3_600_000
CodeFault: TypeAlias = Literal["unknown", "used", "expired", "taken", "revoked"]

# Of two who add somebody at once, one comes second.
_LOCK: Final = "SELECT pg_advisory_xact_lock(%s, 0)"
_NEXT: Final = "SELECT greatest(coalesce(max(owner), 0), 0) + 1 FROM person"
_ADD_PERSON: Final = """
    INSERT INTO person (owner, name, role, token_sha, created_at)
    VALUES (%(owner)s, %(name)s, %(role)s, %(sha)s, %(now)s)
"""
_REOPEN: Final = """
    UPDATE person SET role = %(role)s, token_sha = %(sha)s, closed_at = NULL
    WHERE owner = %(owner)s
"""
_NAMED: Final = "SELECT owner, role, closed_at FROM person WHERE name = %(name)s"
_ROWS: Final = """
    SELECT p.name, p.role, (
            SELECT count(*) FROM machine AS m WHERE m.owner = p.owner AND m.revoked_at IS NULL),
        p.created_at, p.closed_at
    FROM person AS p WHERE p.owner > 0 AND p.name IS NOT NULL ORDER BY p.owner
"""
_SET_ROLE: Final = "UPDATE person SET role = %(role)s WHERE owner = %(owner)s"
_CLOSE: Final = "UPDATE person SET closed_at = %(now)s, token_sha = NULL WHERE owner = %(owner)s"
_SHUT: Final = (
    _CLOSE,
    "DELETE FROM login WHERE owner = %(owner)s",
    "DELETE FROM login_code WHERE owner = %(owner)s",
    "DELETE FROM enrolment WHERE owner = %(owner)s AND used_at IS NULL",
)
_SET_ADDRESS: Final = """
    INSERT INTO meta (name, value) VALUES ('address', %(address)s)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""
_ADDRESS: Final = "SELECT value FROM meta WHERE name = 'address'"
_PEOPLE: Final = """
    SELECT owner, name, role FROM person WHERE owner > 0 AND name IS NOT NULL
        AND closed_at IS NULL ORDER BY owner
"""
_BY_SHA: Final = """
    SELECT owner, name, role FROM person WHERE token_sha = %(sha)s AND closed_at IS NULL
"""
_NAME: Final = "SELECT coalesce(name, '') FROM person WHERE owner = %(owner)s"
_NEW_SHA: Final = "UPDATE person SET token_sha = %(sha)s WHERE owner = %(owner)s"
_ADD_CODE: Final = """
    INSERT INTO enrolment (sha, owner, machine, expires_at)
    VALUES (%(sha)s, %(owner)s, %(machine)s, %(expires)s)
"""
_CODE: Final = """
    SELECT owner, machine, expires_at, used_at FROM enrolment WHERE sha = %(sha)s FOR UPDATE
"""
_USE: Final = "UPDATE enrolment SET used_at = %(now)s WHERE sha = %(sha)s"
_ADD_MACHINE: Final = """
    INSERT INTO machine (owner, name, platform, enrolled_at)
    VALUES (%(owner)s, %(name)s, %(platform)s, %(now)s)
    ON CONFLICT (name) DO NOTHING RETURNING machine
"""
_MACHINE: Final = "SELECT machine, owner, name, revoked_at FROM machine WHERE name = %(name)s"
_BY_NUMBER: Final = "SELECT name, revoked_at FROM machine WHERE machine = %(machine)s"
_ADD_KEY: Final = """
    INSERT INTO machine_key (sha, machine, created_at) VALUES (%(sha)s, %(machine)s, %(now)s)
"""
_AGE_KEYS: Final = """
    UPDATE machine_key SET expires_at = least(expires_at, %(expires)s)
    WHERE machine = %(machine)s AND sha <> %(sha)s
"""
KEY_IS_GOOD: Final = """
    FROM machine_key AS k
    JOIN machine AS m ON m.machine = k.machine JOIN person AS p ON p.owner = m.owner
    WHERE m.revoked_at IS NULL AND p.closed_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > %(now)s)
"""
_BY_KEY: Final = f"SELECT m.machine, m.owner, m.name {KEY_IS_GOOD} AND k.sha = %(sha)s"
_REVOKE: Final = """
    UPDATE machine SET revoked_at = %(now)s WHERE name = %(name)s AND revoked_at IS NULL
    RETURNING machine
"""
_DROP_KEYS: Final = "DELETE FROM machine_key WHERE machine = %(machine)s"
_SEEN: Final = "UPDATE machine SET seen_at = %(now)s WHERE machine = %(machine)s"


def secret(kind: str) -> str:
    """256 random bits, which say what they are for."""
    return f"{kind}_{secrets.token_urlsafe(32)}"


def hashed(text: str) -> bytes:
    """What is kept of a secret: it is random, so it need not be slow to try."""
    return sha256(text.encode("utf-8", "surrogateescape")).digest()


class PeopleTable(MachineTable):
    """Who may send and who may read, from any thread."""

    def add_person(self, name: str, role: Role, now: int) -> str:
        """Add somebody, or let in again who was closed; their token, which is not kept."""
        token = secret("up")
        with self._changing() as connection:
            connection.execute(_LOCK, (LOCK + 2,))
            known = ask(connection, _NAMED, name=name)
            if known and known[0][2] is None:
                raise ConfigError(f"There is already a person called {name!r}.")
            owner = known[0][0] if known else ask(connection, _NEXT)[0][0]
            about = {"owner": owner, "role": role, "sha": hashed(token)}
            if known:
                run(connection, _REOPEN, **about)
            else:
                run(connection, _ADD_PERSON, name=name, now=now, **about)
            what = "person opened again" if known else "person added"
            note(connection, now, what, f"{name}, {role}")
        return token

    def set_role(self, name: str, role: Role, now: int) -> None:
        """Let somebody see more or less from now on."""
        with self._changing() as connection:
            owner, before, _ = _open_person(connection, name)
            if before != role:
                run(connection, _SET_ROLE, owner=owner, role=role)
                note(connection, now, "role changed", f"{name}, {before} to {role}")

    def close_person(self, name: str, now: int) -> None:
        """Refuse somebody and their machines from now on; what they sent stays."""
        with self._changing() as connection:
            owner, _, _ = _open_person(connection, name)
            shut(connection, owner, now)
            note(connection, now, "person closed", name)

    def person_rows(self) -> list[PersonRow]:
        """Everybody, those who are closed too, the first first."""
        names = PersonRow.__struct_fields__
        with self._changing() as connection:
            rows = ask(connection, _ROWS)
        return [PersonRow(**dict(zip(names, row, strict=True))) for row in rows]

    def set_address(self, address: str) -> None:
        """Say where browsers find the hub, for links that are made elsewhere."""
        with self._changing() as connection:
            run(connection, _SET_ADDRESS, address=address)

    def address(self) -> str:
        """Where browsers found the hub that was started last; "" if none was."""
        with self._changing() as connection:
            rows = ask(connection, _ADDRESS)
        return str(rows[0][0]) if rows else ""

    def people(self) -> list[PersonIdentity]:
        """Everybody, the first first."""
        with self._changing() as connection:
            return [PersonIdentity(*row) for row in ask(connection, _PEOPLE)]

    def by_token(self, token: str) -> PersonIdentity | None:
        """Whose token this is."""
        with self._changing() as connection:
            rows = ask(connection, _BY_SHA, sha=hashed(token))
        return PersonIdentity(*rows[0]) if rows else None

    def new_token(self, owner: int) -> str:
        """Another token in place of somebody's own."""
        token = secret("up")
        with self._changing() as connection:
            run(connection, _NEW_SHA, owner=owner, sha=hashed(token))
        return token

    def new_code(self, owner: int, now: int, machine: str = "", *, by: int | None = None) -> str:
        """A code that enrols one machine of somebody's, or gives a machine another key."""
        code = secret("ue")
        with self._changing() as connection:
            number = _machine(connection, machine)[0] if machine else None
            values = {"owner": owner, "machine": number, "expires": now + CODE_MS}
            run(connection, _ADD_CODE, sha=hashed(code), **values)
            ((name,),) = ask(connection, _NAME, owner=owner)
            what = "key rotation begun" if machine else "enrolment code made"
            note(connection, now, what, f"for {name}", person=by, machine=number)
        return code

    def enrol(self, asked: EnrolRequest, now: int) -> EnrolAnswer | CodeFault:
        """Exchange a code for a key; a code that cannot be used is not used up."""
        key = secret("uk")
        with self._changing() as connection:
            used = _usable(connection, asked, now)
            if isinstance(used, str):
                return used
            owner, number = used
            if number is None:
                names = {"name": asked.name, "platform": asked.platform}
                added = ask(connection, _ADD_MACHINE, owner=owner, now=now, **names)
                if not added:
                    return "taken"
                number = added[0][0]
            ((name, _),) = ask(connection, _BY_NUMBER, machine=number)
            run(connection, _USE, sha=hashed(asked.code), now=now)
            run(connection, _ADD_KEY, sha=hashed(key), machine=number, now=now)
            expires = now + ROTATION_MS
            run(connection, _AGE_KEYS, sha=hashed(key), machine=number, expires=expires)
            note(connection, now, "enrolled", name, machine=number)
        return EnrolAnswer(machine=name, key=key)

    def by_key(self, key: str, now: int) -> MachineIdentity | None:
        """Whose key this is; None for one that is unknown, revoked or expired."""
        with self._changing() as connection:
            rows = ask(connection, _BY_KEY, sha=hashed(key), now=now)
        return MachineIdentity(*rows[0]) if rows else None

    def revoke(self, name: str, now: int, *, by: int | None = None) -> None:
        """Take nothing more from a machine; what it sent stays."""
        with self._changing() as connection:
            _machine(connection, name)
            for (number,) in ask(connection, _REVOKE, name=name, now=now):
                run(connection, _DROP_KEYS, machine=number)
                note(connection, now, "revoked", name, person=by, machine=number)

    def rotate(self, name: str, now: int, *, by: int | None = None) -> str:
        """A code for another key of a machine; its old one is good for a day after that."""
        with self._changing() as connection:
            _, owner, _, _ = _machine(connection, name)
        return self.new_code(owner, now, name, by=by)

    def machine_owner(self, name: str) -> int:
        """Whose machine it is."""
        with self._changing() as connection:
            return int(_machine(connection, name)[1])

    def machine_seen(self, sender: MachineIdentity, now: int) -> None:
        """Note that a machine asked for something."""
        with self._changing() as connection:
            run(connection, _SEEN, machine=sender.machine, now=now)


def shut(connection: Connection, owner: int, now: int) -> None:
    """Refuse somebody, their browsers, their machines, and codes that were not used."""
    for change in _SHUT:
        run(connection, change, owner=owner, now=now)


def _usable(
    connection: Connection, asked: EnrolRequest, now: int
) -> tuple[int, int | None] | CodeFault:
    """The owner and, for another key, the machine of a code."""
    rows = ask(connection, _CODE, sha=hashed(asked.code))
    if not rows:
        return "unknown"
    owner, number, expires_at, used_at = rows[0]
    if used_at is not None:
        return "used"
    if now >= expires_at:
        return "expired"
    if number is not None and ask(connection, _BY_NUMBER, machine=number)[0][1] is not None:
        return "revoked"
    return owner, number


def _open_person(connection: Connection, name: str) -> Row:
    rows = ask(connection, _NAMED, name=name)
    if not rows or rows[0][2] is not None:
        raise NotFound(f"There is no person called {name!r}. `unspool hub person` lists everyone.")
    return rows[0]


def _machine(connection: Connection, name: str) -> Row:
    rows = ask(connection, _MACHINE, name=name)
    if not rows:
        raise NotFound(f"There is no machine {name!r}. `unspool hub machines` lists them.")
    return rows[0]
