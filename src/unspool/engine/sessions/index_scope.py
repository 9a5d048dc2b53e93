"""Which sessions of an index belong to some roots; it may hold those of other roots too."""

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Final

from msgspec import structs

from unspool.model.files import Root
from unspool.model.query import Scope, SessionListing, SessionQuery
from unspool.remote_paths import is_remote
from unspool.store import Store

_LIMIT: Final = 20


class IndexScope:
    """Some roots as a filter of queries; worked out again when the index changes."""

    def __init__(self, store: Store, roots: Sequence[Root], home: Path) -> None:
        self._store, self._roots, self._home = store, roots, home
        self._lock = Lock()
        self._head = -1
        self._scope: Scope = None

    def current(self) -> Scope:
        """The filter for queries; None if the index holds nothing else."""
        head = self._store.head()
        with self._lock:
            if head != self._head:
                self._scope, self._head = self._compute(), head
            return self._scope

    def root(self, path: str) -> Root | None:
        """The root with this path."""
        return next((root for root in self._roots if root.path == path), None)

    def sessions(self, session_id: str) -> list[SessionListing]:
        """Sessions with an id, in any project, newest first."""
        return self._find(SessionQuery(id=session_id, everything=True, limit=_LIMIT))

    def sessions_by_prefix(self, prefix: str) -> list[SessionListing]:
        """Sessions whose id starts with a prefix, newest first; nothing for an empty one."""
        if not prefix:
            return []
        return self._find(SessionQuery(session=prefix, everything=True, limit=_LIMIT))

    def _find(self, query: SessionQuery) -> list[SessionListing]:
        return self._store.sessions(structs.replace(query, scope=self.current()))

    def _compute(self) -> Scope:
        if any(is_remote(root.path) for root in self._roots):
            return None  # the store has nothing that may not be seen
        home = os.path.normpath(self._home)
        whole = {root.path for root in self._roots if root.only is None}
        others = (root for root in self._store.roots() if root not in whole)
        if all(os.path.normpath(root) == home for root in others):
            return None
        return tuple((one.path, one.prefix + one.only if one.only else "") for one in self._roots)
