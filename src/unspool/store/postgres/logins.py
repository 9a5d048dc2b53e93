"""Browsers that people signed in: codes that are good once, and cookies, both kept as hashes."""

from typing import Final, Literal, TypeAlias

from unspool.model.shipping import PersonIdentity
from unspool.store.postgres.audit import note
from unspool.store.postgres.people import hashed, secret
from unspool.store.postgres.tables import HubTable, ask, run

# A link is sent to somebody, who opens it when they have time.
LOGIN_CODE_MS: Final = 24 * 3_600_000
LOGIN_MS: Final = 30 * 24 * 3_600_000
LoginFault: TypeAlias = Literal["unknown", "used", "expired"]

_ADD_CODE: Final = """
    INSERT INTO login_code (sha, owner, expires_at) VALUES (%(sha)s, %(owner)s, %(expires)s)
"""
_CODE: Final = """
    SELECT c.expires_at, c.used_at, p.owner, p.name, p.role FROM login_code AS c
    JOIN person AS p ON p.owner = c.owner WHERE c.sha = %(sha)s AND p.closed_at IS NULL
"""
_USE: Final = "UPDATE login_code SET used_at = %(now)s WHERE sha = %(sha)s"
_ADD: Final = """
    INSERT INTO login (sha, owner, created_at, expires_at)
    VALUES (%(sha)s, %(owner)s, %(now)s, %(expires)s)
"""
_BY_COOKIE: Final = """
    SELECT p.owner, p.name, p.role FROM login AS l JOIN person AS p ON p.owner = l.owner
    WHERE l.sha = %(sha)s AND l.expires_at > %(now)s AND p.closed_at IS NULL
"""
_DROP: Final = "DELETE FROM login WHERE sha = %(sha)s RETURNING owner"
_DROP_OLD: Final = "DELETE FROM login WHERE expires_at <= %(now)s"
_DROP_OLD_CODES: Final = "DELETE FROM login_code WHERE expires_at <= %(long_ago)s"


class LoginTable(HubTable):
    """Signs browsers in and out; any hub of the database takes what another has given."""

    def new_code(self, owner: int, now: int, valid_ms: int = LOGIN_CODE_MS) -> str:
        """A code for one browser of somebody's."""
        code = secret("ul")
        with self._changing() as connection:
            run(connection, _DROP_OLD_CODES, long_ago=now - LOGIN_MS)
            run(connection, _ADD_CODE, sha=hashed(code), owner=owner, expires=now + valid_ms)
        return code

    def code(self, code: str, now: int) -> PersonIdentity | LoginFault:
        """Whose code this is, if it can still be used."""
        with self._changing() as connection:
            return _person(ask(connection, _CODE, sha=hashed(code)), now)

    def use_code(self, code: str, now: int) -> PersonIdentity | LoginFault:
        """The same, and use it: of two who show it at once, one comes too late."""
        with self._changing() as connection:
            found = _person(ask(connection, f"{_CODE} FOR UPDATE OF c", sha=hashed(code)), now)
            if isinstance(found, PersonIdentity):
                run(connection, _USE, sha=hashed(code), now=now)
        return found

    def sign_in(self, person: PersonIdentity, now: int, address: str) -> str:
        """A cookie for a browser."""
        cookie = secret("uc")
        with self._changing() as connection:
            run(connection, _DROP_OLD, now=now)
            values = {"owner": person.owner, "now": now, "expires": now + LOGIN_MS}
            run(connection, _ADD, sha=hashed(cookie), **values)
            note(connection, now, "signed in", "", person=person.owner, address=address)
        return cookie

    def by_cookie(self, cookie: str, now: int) -> PersonIdentity | None:
        """Whose browser this is."""
        with self._changing() as connection:
            rows = ask(connection, _BY_COOKIE, sha=hashed(cookie), now=now)
        return PersonIdentity(*rows[0]) if rows else None

    def sign_out(self, cookie: str, now: int) -> None:
        """Never accept a cookie again."""
        with self._changing() as connection:
            for (owner,) in ask(connection, _DROP, sha=hashed(cookie)):
                note(connection, now, "signed out", "", person=owner)


def _person(rows: list[tuple[object, ...]], now: int) -> PersonIdentity | LoginFault:
    if not rows:
        return "unknown"
    expires_at, used_at, *who = rows[0]
    if used_at is not None:
        return "used"
    return "expired" if now >= expires_at else PersonIdentity(*who)  # type: ignore[operator,arg-type]
