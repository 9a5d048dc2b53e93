"""What is told of sessions -> their rows; and which session a hook means that says only its id."""

from typing import Any

import apsw
from msgspec.structs import astuple

from unspool.model.rows import SessionRow
from unspool.store.contract import is_stray, told
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.writing.pile import Pile
from unspool.store.sqlite.writing.words import Words

_REMEMBERED = 1_024
_NAME, _SESSION = SessionRow.__struct_fields__[:2], SessionRow.__struct_fields__[2:]
_READ_SESSION = f"SELECT {', '.join(_NAME + _SESSION)} FROM session WHERE id = ?"  # noqa: S608
_WRITE_SESSION = f"UPDATE session SET {', '.join(f'{n} = ?' for n in _SESSION)} WHERE id = ?"  # noqa: S608
_PROJECT = """
    SELECT project_id FROM session WHERE session_id = ? AND project_id <> '' AND origin <> ''
    ORDER BY coalesce(last_activity, 0) DESC, project_id DESC LIMIT 1
"""
_STRAY = """
    SELECT id FROM session WHERE session_id = ? AND id <> ? AND session_id <> ''
        AND (project_id = '' OR (origin = 'hook' AND transcript_path = ''))
        AND NOT EXISTS (SELECT 1 FROM source WHERE source.session = session.id)
"""


class Sessions:
    """The sessions of one writer; every method runs inside the writer's transaction."""

    def __init__(self, connection: apsw.Connection, words: Words, pile: Pile) -> None:
        self._connection, self._words, self._pile = connection, words, pile
        self._known: dict[int, SessionRow] = {}

    def tell(self, row: SessionRow) -> tuple[str, str] | None:
        """Write what is known of a session; its name, if that is news."""
        name = row.project_id, row.session_id
        session = self._words.session(*name)
        new = told(row, self._known.get(session) or self._read(session))
        if new is None:
            return None
        self._known[session] = new
        self._pile.add(_WRITE_SESSION, (*astuple(new)[2:], session))
        if is_stray(new):
            self._words.strays.add(row.session_id)
        elif row.project_id and row.session_id in self._words.strays:
            self._adopt(row.session_id, session)
        return name

    def _read(self, session: int) -> SessionRow:
        values: Row = self._connection.execute(_READ_SESSION, (session,)).fetchone() or ()
        return SessionRow(**dict(zip(_NAME + _SESSION, values, strict=True)))

    def project(self, session_id: str) -> str:
        """The project of a session of which only the id is known; "" where there is none."""
        self._pile.write()
        return self._connection.execute(_PROJECT, (session_id,)).get or ""

    def _adopt(self, session_id: str, session: int) -> None:
        """Hooks that came before their session's project was known become its own."""
        self._pile.write()
        strays = list[tuple[Any, ...]](self._connection.execute(_STRAY, (session_id, session)))
        for (stray,) in strays:
            change = "UPDATE hook SET session = ? WHERE session = ?"
            self._connection.execute(change, (session, stray))
            self._connection.execute("DELETE FROM session WHERE id = ?", (stray,))
            self._words.forget()
            self._known.pop(stray, None)

    def tidy(self) -> None:
        """Before a transaction: remember those of the last ones only."""
        if len(self._known) > _REMEMBERED:
            self._known.clear()

    def forget(self) -> None:
        """After a rollback, nothing told since is known."""
        self._known.clear()
