"""The list of sessions, looked at again and again -> what changed in it."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Raw

from unspool.model.live import InitialSessions, SessionUpdate
from unspool.model.session import SessionSummary
from unspool.serve.desks.sessions import SessionList, SessionsAsked
from unspool.serve.live.messages import Pen

Kind: TypeAlias = Literal["session_update", "session_updated", "session_ended", "session_removed"]
Told: TypeAlias = tuple[Kind, str, Raw]  # kind, session and what to say
_Key: TypeAlias = tuple[str, str]

NONE = Raw(b'{"sessions":[],"nextCursor":null}')
_NEWEST = 200


class Rows:
    """The newest sessions as they were told; asked by one thread at a time."""

    def __init__(self, sessions: SessionList, pen: Pen) -> None:
        self._sessions, self._pen = sessions, pen
        self._known: dict[_Key, SessionSummary] = {}
        self.listed = NONE

    def look(self) -> list[Told]:
        """Look again; what to tell of it."""
        page = self._sessions.page(SessionsAsked(limit=_NEWEST))
        rows: dict[_Key, SessionSummary] = {_key(row): row for row in page.items}
        oldest = _last_at(page.items[-1]) if page.next_cursor and page.items else ""
        told = list(self._changes(rows, oldest))
        if told or len(rows) != len(self._known):
            whole = InitialSessions(sessions=tuple(page.items), next_cursor=page.next_cursor)
            self.listed = self._pen.data(whole)
        self._known = rows
        return told

    def _changes(self, rows: dict[_Key, SessionSummary], oldest: str) -> Iterator[Told]:
        # Hooks may tell only later which project a session is of: it is the same one all the same.
        moved = {key[1]: old for key, old in self._known.items() if key not in rows}
        newest = max(map(_last_at, self._known.values()), default=None)
        for key, row in rows.items():
            old = self._known.get(key) or moved.pop(key[1], None)
            if row != old:
                yield "session_update", key[1], self._pen.data(row)
                yield from self._of_session(row, old, newest)
        for id, old in moved.items():
            # One that only fell out of the newest is still there.
            if _last_at(old) >= oldest:
                yield "session_removed", id, self._news(old)

    def _of_session(
        self, row: SessionSummary, old: SessionSummary | None, newest: str | None
    ) -> Iterator[Told]:
        if old is None or (row.session, row.metrics) != (old.session, old.metrics):
            yield "session_updated", row.session.id, self._news(row)
        # A short one may have begun and ended between two looks.
        is_short = newest is not None and (row.session.start_time or "") > newest
        if _is_ended(row) and (is_short if old is None else not _is_ended(old)):
            yield "session_ended", row.session.id, self._news(row)

    def _news(self, row: SessionSummary) -> Raw:
        return self._pen.data(SessionUpdate(session=row.session, metrics=row.metrics))


def _key(row: SessionSummary) -> _Key:
    return row.session.project_id, row.session.id


def _last_at(row: SessionSummary) -> str:
    return row.last_activity or ""


def _is_ended(row: SessionSummary) -> bool:
    return row.session.status.state == "ended"
