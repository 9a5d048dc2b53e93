"""Projects, each with the totals of its sessions."""

import re
from threading import Lock
from time import monotonic
from typing import Final

from unspool.derive.reading.clock import iso
from unspool.derive.usage.prices import usd
from unspool.engine.sessions.index_scope import IndexScope
from unspool.model.api import ProjectSummary
from unspool.model.document import Metrics
from unspool.model.query import ProjectTotal, Scope
from unspool.store import Store

_RELOAD_SECONDS: Final = 60.0
_MAX_CHANGES: Final = 500


class ProjectList:
    """Kept up to date by the feed: only projects that changed are added up again."""

    def __init__(self, store: Store, scope: IndexScope) -> None:
        self._store, self._index_scope = store, scope
        self._lock = Lock()
        self._head = -1
        self._scope: Scope = None
        self._until = 0.0
        self._projects: dict[str, ProjectSummary] = {}
        self._sorted: list[ProjectSummary] = []

    def all(self) -> list[ProjectSummary]:
        """Every project, newest activity first."""
        head, scope = self._store.head(), self._index_scope.current()
        with self._lock:
            if head != self._head or scope != self._scope:
                self._refresh(head, scope)
            return self._sorted

    def _refresh(self, head: int, scope: Scope) -> None:
        changed = self._changed() if scope == self._scope else None
        if changed is None:
            self._projects, self._until = {}, monotonic() + _RELOAD_SECONDS
        for id in changed or ():
            self._projects.pop(id, None)
        found = self._store.projects(scope, ids=changed)
        self._projects |= {total.project_id: _project(total) for total in found}
        self._sorted = sorted(self._projects.values(), key=_newest, reverse=True)
        self._head, self._scope = head, scope

    def _changed(self) -> set[str] | None:
        """Projects that changed since; None if all of them are to be added up again.

        A session may leave a project without a change of its own: all are read now and then.
        """
        if self._head < 0 or monotonic() >= self._until:
            return None
        changes = self._store.changes(after=self._head, limit=_MAX_CHANGES)
        if len(changes) == _MAX_CHANGES or any(not one.session_id for one in changes):
            return None  # a change without a session concerns all of them
        return {one.project_id for one in changes}


def _newest(one: ProjectSummary) -> tuple[str, str]:
    return one.last_activity or "", one.id


def _project(of: ProjectTotal) -> ProjectSummary:
    tokens = of.input_tokens, of.output_tokens, of.cache_read_tokens, of.cache_creation_tokens
    return ProjectSummary(
        id=of.project_id,
        name=re.split(r"[/\\]", of.cwd.rstrip("/\\"))[-1] or of.project_id,
        path=of.cwd,
        sessions=of.sessions,
        first_activity=iso(of.first_activity),
        last_activity=iso(of.last_activity),
        metrics=Metrics(
            input_tokens=of.input_tokens,
            output_tokens=of.output_tokens,
            cache_read_tokens=of.cache_read_tokens,
            cache_creation_tokens=of.cache_creation_tokens,
            total_tokens=sum(tokens),
            cost_usd=None if of.unpriced and not of.usd_pico else usd(of.usd_pico),
            lower_bound=bool(of.unpriced),
        ),
    )
