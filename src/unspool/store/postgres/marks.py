"""What a reader decided about sessions: pinned, hidden, renamed; no rebuild touches it."""

from collections.abc import Collection
from typing import Final

from msgspec import UNSET, structs

from unspool.errors import StoreError
from unspool.model.api import Marks, MarksUpdate
from unspool.model.query import SessionKey
from unspool.store.cleaning import sendable
from unspool.store.postgres.database import Connection, Database, Row
from unspool.store.postgres.tables import IS_ERASED

_ALL: Final = """
    SELECT project_id, session_id, pinned, hidden, title FROM mark
    WHERE viewer = %(viewer)s AND owner = ANY(%(visible)s)
"""
_ONE: Final = f"{_ALL} AND (project_id, session_id) = (%(project_id)s, %(session_id)s)"
_LOCK: Final = f"""
    UPDATE person SET marks = marks + 1 WHERE owner = %(owner)s AND NOT {IS_ERASED}
"""  # noqa: S608
_STAMP: Final = """
    SELECT coalesce(max(marks), 0) FROM person
    WHERE owner = ANY(%(visible)s) AND owner = %(viewer)s
"""
# A mark lies with the session it is of, no matter who made it; without a session, with its maker.
_OWNER: Final = """
    SELECT e.owner FROM session AS e WHERE e.owner = ANY(%(visible)s)
        AND (e.project_id, e.session_id) = (%(project_id)s, %(session_id)s)
    ORDER BY e.owner <> %(viewer)s, e.owner LIMIT 1
"""
_PUT: Final = """
    INSERT INTO mark (viewer, owner, project_id, session_id, pinned, hidden, title)
    VALUES (%(viewer)s, %(owner)s, %(project_id)s, %(session_id)s, %(pinned)s, %(hidden)s,
        %(title)s)
"""
_DROP: Final = """
    DELETE FROM mark WHERE viewer = %(viewer)s
        AND (project_id, session_id) = (%(project_id)s, %(session_id)s)
"""


class MarkTable:
    """The marks of one viewer, from any thread; every process sees them at once."""

    def __init__(self, database: Database, own: Database) -> None:
        self._database, self._own, self.viewer = database, own, database.owner

    def all(self) -> dict[SessionKey, Marks]:
        """Every mark, by project and session."""
        found = map(_marks, self._database.every(_ALL, viewer=self.viewer))
        return {(one.project_id, one.session_id): one for one in found}

    def of(self, project_id: str, session_id: str) -> Marks:
        """What was decided about one session."""
        with self._database.connected() as connection:
            return self._of(connection, sendable(project_id), sendable(session_id))

    def _of(self, connection: Connection, project_id: str, session_id: str) -> Marks:
        names = {"project_id": project_id, "session_id": session_id}
        rows = self._database.ask(connection, _ONE, viewer=self.viewer, **names)
        return _marks(rows[0]) if rows else Marks(project_id=project_id, session_id=session_id)

    def stamp(self) -> int:
        """Differs whenever any mark does."""
        ((stamp,),) = self._own.every(_STAMP, viewer=self.viewer)
        return int(stamp)

    def change(self, project_id: str, session_id: str, given: MarksUpdate) -> Marks:
        """Keep what is given of a decision; one that says nothing is dropped."""
        none = Marks(project_id=sendable(project_id), session_id=sendable(session_id))
        new = {name: value for name, value in structs.asdict(given).items() if value is not UNSET}
        if "title" in new:
            new["title"] = sendable(new["title"])
        with self._database.connected() as connection, connection.transaction():
            self._count(connection)
            known = self._of(connection, none.project_id, none.session_id)
            marks = structs.replace(known, **new)
            values = {**structs.asdict(marks), "viewer": self.viewer}
            connection.execute(_DROP.encode(), values)
            if marks != none:
                values["owner"] = self._owner(connection, marks)
                connection.execute(_PUT.encode(), values)
        return marks

    def _owner(self, connection: Connection, marks: Marks) -> int:
        names = {"project_id": marks.project_id, "session_id": marks.session_id}
        rows = self._database.ask(connection, _OWNER, viewer=self.viewer, **names)
        return int(rows[0][0]) if rows else self.viewer

    def erase(self, names: Collection[SessionKey]) -> None:
        """Take what was decided about some sessions out for good."""
        with self._database.connected() as connection:
            with connection.transaction():
                self._count(connection)
                for project_id, session_id in names:
                    named = {"project_id": sendable(project_id), "session_id": sendable(session_id)}
                    connection.execute(_DROP.encode(), {**named, "viewer": self.viewer})
            connection.execute("VACUUM FULL mark")

    def _count(self, connection: Connection) -> None:
        """Lock the row of the viewer: of two changes at once, one comes second."""
        if not connection.execute(_LOCK.encode(), {"owner": self.viewer}).rowcount:
            raise StoreError("This person was erased: nothing is kept for them.")


def _marks(row: Row) -> Marks:
    project_id, session_id, pinned, hidden, title = row
    return Marks(
        project_id=project_id, session_id=session_id, pinned=pinned, hidden=hidden, title=title
    )
