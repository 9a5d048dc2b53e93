"""Which sessions of the index are of the roots that are served; it may hold others too."""

import os
from threading import Lock

from unspool.model.files import Root
from unspool.model.query import Scope, SessionListing, SessionQuery
from unspool.serve.desks.around import Around

_FEW = 20


class Ours:
    """Asked once for every change of the index."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._lock = Lock()
        self._head = -1
        self._scope: Scope = None

    def scope(self) -> Scope:
        """What to ask the index for; None where all that it has is ours."""
        head = self._around.store.head()
        with self._lock:
            if head != self._head:
                self._scope, self._head = self._found(), head
            return self._scope

    def root(self, path: str) -> Root | None:
        """The root of ours that a source's root is."""
        return next((root for root in self._around.roots if root.path == path), None)

    def named(self, session_id: str) -> list[SessionListing]:
        """Our sessions of an id, of whichever project, newest first."""
        asked = SessionQuery(id=session_id, everything=True, scope=self.scope(), limit=_FEW)
        return self._around.store.sessions(asked)

    def begun(self, beginning: str) -> list[SessionListing]:
        """Our sessions whose id begins so, newest first; none without a beginning."""
        if not beginning:
            return []
        asked = SessionQuery(session=beginning, everything=True, scope=self.scope(), limit=_FEW)
        return self._around.store.sessions(asked)

    def _found(self) -> Scope:
        home, roots = os.path.normpath(self._around.home), self._around.roots
        whole = {root.path for root in roots if root.only is None}
        others = (root for root in self._around.store.roots() if root not in whole)
        if all(os.path.normpath(root) == home for root in others):
            return None
        return tuple((one.path, one.prefix + one.only if one.only else "") for one in roots)
