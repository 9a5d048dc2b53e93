"""The projects, each with what its sessions come to."""

import re
from threading import Lock

from unspool.derive.reading.clock import iso
from unspool.derive.usage.prices import usd
from unspool.model.api import ProjectSummary
from unspool.model.document import Metrics
from unspool.model.query import ProjectTotal
from unspool.serve.desks.around import Around
from unspool.serve.desks.ours import Ours


class ProjectList:
    """Worked out once for every change of the index."""

    def __init__(self, around: Around, ours: Ours) -> None:
        self._around, self._ours = around, ours
        self._lock = Lock()
        self._head, self._projects = -1, list[ProjectSummary]()

    def all(self) -> list[ProjectSummary]:
        """Every project, newest activity first."""
        head = self._around.store.head()
        with self._lock:
            if head != self._head:
                self._projects, self._head = self._found(), head
            return self._projects

    def _found(self) -> list[ProjectSummary]:
        made = [_project(total) for total in self._around.store.projects(self._ours.scope())]
        return sorted(made, key=lambda one: (one.last_activity or "", one.id), reverse=True)


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
