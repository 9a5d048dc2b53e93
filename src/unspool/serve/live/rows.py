"""Sessions, looked at again and again -> what changed: rows of the list, and single sessions."""

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Raw

from unspool.engine.sessions.session_list import SessionFilter, SessionList
from unspool.errors import UnspoolError
from unspool.model.document import SessionInfo, TotalMetrics
from unspool.model.live import InitialSessions, SessionUpdate
from unspool.model.query import SessionKey
from unspool.model.session import SessionSummary
from unspool.serve.context import ServerContext
from unspool.serve.live.client import MessageEncoder
from unspool.serve.pagination import encode_cursor
from unspool.source.forgotten import is_forgotten_in

RowChange: TypeAlias = tuple[
    Literal["session_update", "session_updated", "session_ended", "session_removed"], str, Raw
]

NO_ROWS = Raw(b'{"sessions":[],"nextCursor":null}')
_NEWEST = 200


class RowFeed:
    """The newest sessions as they were last sent; asked by one thread at a time."""

    def __init__(self, sessions: SessionList, encoder: MessageEncoder) -> None:
        self._sessions, self._encoder = sessions, encoder
        self._known: dict[SessionKey, SessionSummary] = {}
        self.rows = NO_ROWS  # all of them, for one who comes now

    def poll(self) -> list[RowChange]:
        """Look again; what to send."""
        page = self._sessions.page(SessionFilter(limit=_NEWEST))
        rows: dict[SessionKey, SessionSummary] = {_name(row): row for row in page.items}
        oldest = _last_at(page.items[-1]) if page.next and page.items else ""
        changes = list(self._changes(rows, oldest))
        if changes or len(rows) != len(self._known):
            cursor = encode_cursor(page.next) if page.next else None
            whole = InitialSessions(sessions=page.items, next_cursor=cursor)
            self.rows = self._encoder.data(whole)
        self._known = rows
        return changes

    def _changes(self, rows: dict[SessionKey, SessionSummary], oldest: str) -> Iterator[RowChange]:
        # Hooks may tell only later which project a session is of: it is the same one all the same.
        moved = {name[1]: old for name, old in self._known.items() if name not in rows}
        newest = max(map(_last_at, self._known.values()), default=None)
        for name, row in rows.items():
            old = self._known.get(name) or moved.pop(name[1], None)
            if row != old:
                yield "session_update", name[1], self._encoder.data(row)
                yield from self._of_session(row, old, newest)
        for id, old in moved.items():
            # One that only fell out of the newest is still there.
            if _last_at(old) >= oldest:
                yield "session_removed", id, self._update(old)

    def _of_session(
        self, row: SessionSummary, old: SessionSummary | None, newest: str | None
    ) -> Iterator[RowChange]:
        if old is None or (row.session, row.metrics) != (old.session, old.metrics):
            yield "session_updated", row.session.id, self._update(row)
        # A short one may have begun and ended between two looks.
        is_short = newest is not None and (row.session.start_time or "") > newest
        if _is_ended(row) and (is_short if old is None else not _is_ended(old)):
            yield "session_ended", row.session.id, self._update(row)

    def _update(self, row: SessionSummary) -> Raw:
        return self._encoder.data(SessionUpdate(session=row.session, metrics=row.metrics))


class StatusFeed:
    """Single sessions, for clients without a list; asked by one thread at a time."""

    def __init__(self, context: ServerContext, encoder: MessageEncoder) -> None:
        self._context, self._encoder = context, encoder
        self._known: dict[SessionKey, SessionUpdate] = {}
        self._gone: set[SessionKey] = set()

    def poll(self, names: Iterable[SessionKey]) -> list[RowChange]:
        """Look again at these and forget all others; those that are new, changed or gone."""
        known, self._known = self._known, {}
        changes: list[RowChange] = []
        for name in names:
            if is_forgotten_in(self._context.config.roots, *name):
                changes += self.gone(name)
                continue
            self._gone.discard(name)
            update = self._update(name) or known.get(name)
            if update is not None:
                self._known[name] = update
                if update != known.get(name):
                    changes.append(("session_updated", name[1], self._encoder.data(update)))
        return changes

    def gone(self, name: SessionKey) -> list[RowChange]:
        """What to send of a session that was forgotten, once: nothing but its ids."""
        if name in self._gone:
            return []
        self._gone.add(name)
        about = SessionInfo(id=name[1], project_id=name[0])
        data = self._encoder.data(SessionUpdate(session=about, metrics=TotalMetrics()))
        return [("session_removed", name[1], data)]

    def _update(self, name: SessionKey) -> SessionUpdate | None:
        """A status changes without a line too: a process ends, or nobody writes for a while."""
        try:
            with self._context.open_sessions.session(*name) as session:
                row = session.summary()
        except UnspoolError:
            return None  # not there yet, or not any more
        return SessionUpdate(session=row.session, metrics=row.metrics)


def _name(row: SessionSummary) -> SessionKey:
    return row.session.project_id, row.session.id


def _last_at(row: SessionSummary) -> str:
    return row.last_activity or ""


def _is_ended(row: SessionSummary) -> bool:
    return row.session.status.state == "ended"
