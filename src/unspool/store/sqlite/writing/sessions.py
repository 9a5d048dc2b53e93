"""What is told of sessions -> their rows; and which session a hook means that says only its id."""

import apsw
from msgspec.structs import replace

from unspool.model.rows import SessionRow
from unspool.store.contract import told
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.writing.words import Words

_SESSION = tuple(
    name for name in SessionRow.__struct_fields__ if name not in ("project_id", "session_id")
)
_READ_SESSION = f"SELECT {', '.join(_SESSION)} FROM session WHERE id = ?"  # noqa: S608
_WRITE_SESSION = f"UPDATE session SET {', '.join(f'{n} = ?' for n in _SESSION)} WHERE id = ?"  # noqa: S608
_PROJECT = """
    SELECT project_id FROM session WHERE session_id = ? AND project_id <> '' AND origin <> ''
    ORDER BY coalesce(last_activity, 0) DESC, project_id DESC LIMIT 1
"""
_STRAY = """
    SELECT id FROM session WHERE project_id = '' AND session_id = ? AND session_id <> ''
        AND NOT EXISTS (SELECT 1 FROM source WHERE source.session = session.id)
"""


class Sessions:
    """The sessions of one writer; every method runs inside the writer's transaction."""

    def __init__(self, connection: apsw.Connection, words: Words) -> None:
        self._connection, self._words = connection, words

    def tell(self, row: SessionRow) -> tuple[str, str] | None:
        """Write what is known of a session; its name, if that is news."""
        name = row.project_id, row.session_id
        session = self._words.session(*name)
        values: Row = self._connection.execute(_READ_SESSION, (session,)).fetchone() or ()
        if values == tuple(getattr(row, n) for n in _SESSION):
            return None
        new = told(row, replace(row, **dict(zip(_SESSION, values, strict=True))))
        if new is None:
            return None
        self._connection.execute(_WRITE_SESSION, (*(getattr(new, n) for n in _SESSION), session))
        if row.project_id:
            self._adopt(row.session_id, session)
        return name

    def project(self, session_id: str) -> str:
        """The project of a session of which only the id is known; "" where there is none."""
        return self._connection.execute(_PROJECT, (session_id,)).get or ""

    def _adopt(self, session_id: str, session: int) -> None:
        """Hooks that came before their session's project was known become its own."""
        stray = self._connection.execute(_STRAY, (session_id,)).get
        if stray is not None:
            change = "UPDATE hook SET session = ? WHERE session = ?"
            self._connection.execute(change, (session, stray))
            self._connection.execute("DELETE FROM session WHERE id = ?", (stray,))
            self._words.forget()
