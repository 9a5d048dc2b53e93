"""Which sessions of the index are of the roots that are served; it may hold others too."""

import os
from threading import Lock

from unspool.model.files import Root
from unspool.model.query import SessionListing, SessionQuery
from unspool.serve.desks.around import Around

_FEW = 20
_Key = tuple[str, str]


class Ours:
    """Asked once for every change of the index."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._lock = Lock()
        self._head = -1
        self._sessions: frozenset[_Key] | None = None

    def sessions(self) -> frozenset[_Key] | None:
        """Projects and ids of our sessions; None where all that the index has are ours."""
        head = self._around.store.head()
        with self._lock:
            if head != self._head:
                self._sessions, self._head = self._found(), head
            return self._sessions

    def root(self, path: str) -> Root | None:
        """The root of ours that a source's root is."""
        return next((root for root in self._around.roots if root.path == path), None)

    def named(self, session_id: str) -> list[SessionListing]:
        """Our sessions of an id, of whichever project, newest first."""
        asked = SessionQuery(session=session_id, everything=True, limit=_FEW)
        ours = self.sessions()
        return [
            row
            for row in self._around.store.sessions(asked)
            if row.session_id == session_id
            and (ours is None or (row.project_id, row.session_id) in ours)
        ]

    def begun(self, beginning: str) -> list[SessionListing]:
        """Our sessions whose id begins so, newest first; none without a beginning."""
        if not beginning:
            return []
        ours = self.sessions()
        asked = SessionQuery(session=beginning, everything=True, limit=_FEW)
        rows = self._around.store.sessions(asked)
        return [one for one in rows if ours is None or (one.project_id, one.session_id) in ours]

    def _found(self) -> frozenset[_Key] | None:
        roots = {root.path: root for root in self._around.roots}
        home, found, is_all = str(self._around.home), set[_Key](), True
        for source in self._around.store.sources():
            root = roots.get(source.root)
            if root is not None and root.only in (
                None,
                source.project_id.removeprefix(root.prefix),
            ):
                found.add((source.project_id, source.session_id))
            else:
                is_all &= os.path.normpath(source.root) == os.path.normpath(home)
        return None if is_all else frozenset(found)
