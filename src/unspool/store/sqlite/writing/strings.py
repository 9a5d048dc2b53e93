"""Texts that many rows repeat -> the small numbers that stand for them."""

from typing import TypeVar

import apsw

from unspool.model.rows import StoredLine

# More than any honest history has; a hostile one only makes us ask the database again.
_REMEMBERED = 100_000
_STRAYS = """
    SELECT session_id FROM session
    WHERE project_id = '' OR (origin = 'hook' AND transcript_path = '')
"""

Key = TypeVar("Key", str, tuple[str, ...], tuple[str, str])


class _Numbers(dict[Key, int]):
    """Keys of one table and their numbers; a key that is new gets one by being asked for."""

    def __init__(self, connection: apsw.Connection, table: str, *names: str) -> None:
        super().__init__()
        self.added: set[int] = set()
        self._run = connection.execute
        columns, marks = ", ".join(names), ", ".join("?" * len(names))
        self._ask = f"SELECT id FROM {table} WHERE ({columns}) = ({marks})"  # noqa: S608
        self._add = f"INSERT INTO {table} ({columns}) VALUES ({marks}) RETURNING id"  # noqa: S608

    def __missing__(self, key: Key) -> int:
        values = (key,) if isinstance(key, str) else key
        number = self._run(self._ask, values).get
        if number is None:
            number = self._run(self._add, values).get
            self.added.add(int(number))
        if len(self) >= _REMEMBERED:
            self.clear()
        self[key] = int(number)
        return self[key]

    def clear(self) -> None:
        """Forget the numbers, and which of them are new."""
        super().clear()
        self.added.clear()


class StringTable:
    """Numbers of words, kinds and sessions, remembered for one writer."""

    def __init__(self, connection: apsw.Connection) -> None:
        kind = "type", "subtype", "role", "model", "event_type", "text_kind", "agent_id"
        self._words = _Numbers[str](connection, "word", "text")
        self._kinds = _Numbers[tuple[str, ...]](connection, "kind", *kind)
        self._sessions = _Numbers[tuple[str, str]](
            connection, "session", "project_id", "session_id"
        )
        self.word = self._words.__getitem__
        # Sessions that began to exist here: nothing is stored of them until somebody tells it.
        self.blank = self._sessions.added
        # Ids of sessions whose project may not be known for sure yet.
        self.strays = {id for (id,) in connection.execute(_STRAYS)}

    def forget(self) -> None:
        """After a rollback, numbers given since may not exist."""
        self._words.clear()
        self._kinds.clear()
        self._sessions.clear()

    def kind(self, line: StoredLine) -> int:
        """The number of what a line is."""
        return self._kinds[
            line.type,
            line.subtype,
            line.role,
            line.model,
            line.event_type,
            line.text_kind,
            line.agent_id,
        ]

    def session(self, project_id: str, session_id: str) -> int:
        """The number of a session, which begins to exist by being asked for."""
        if not project_id:
            self.strays.add(session_id)
        return self._sessions[project_id, session_id]
