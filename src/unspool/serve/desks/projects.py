"""The projects, each with what its sessions come to."""

import re
from threading import Lock
from typing import Final

from unspool.derive.reading.clock import iso
from unspool.derive.usage.prices import usd
from unspool.model.api import ProjectSummary
from unspool.model.document import Metrics
from unspool.serve.desks.around import Around
from unspool.serve.desks.ours import Ours

_ASK: Final = """
    SELECT project_id, session_id, cwd, start_time, last_activity, input_tokens, output_tokens,
        cache_read_tokens, cache_creation_tokens, usd_pico, unpriced
    FROM sessions WHERE is_displayable ORDER BY last_activity DESC
"""
_EVER: Final = 10**6


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
        ours = self._ours.sessions()
        groups: dict[str, list[tuple[int | str, ...]]] = {}
        for project, session, *rest in self._around.store.sql(_ASK, limit=_EVER)[1]:
            if ours is None or (project, session) in ours:
                groups.setdefault(project, []).append(tuple(rest))
        made = [_project(id, rows) for id, rows in groups.items()]
        return sorted(made, key=lambda one: (one.last_activity or "", one.id), reverse=True)


def _project(id: str, rows: list[tuple[int | str, ...]]) -> ProjectSummary:
    cwds, starts, ends, *counts = zip(*rows, strict=True)
    path = next((str(cwd) for cwd in cwds if cwd), "")
    *tokens, pico, unpriced = (sum(map(int, column)) for column in counts)
    return ProjectSummary(
        id=id,
        name=re.split(r"[/\\]", path.rstrip("/\\"))[-1] or id,
        path=path,
        sessions=len(rows),
        first_activity=iso(min((int(at) for at in starts if at is not None), default=None)),
        last_activity=iso(max((int(at) for at in ends if at is not None), default=None)),
        metrics=Metrics(
            input_tokens=tokens[0],
            output_tokens=tokens[1],
            cache_read_tokens=tokens[2],
            cache_creation_tokens=tokens[3],
            total_tokens=sum(tokens),
            cost_usd=None if unpriced and not pico else usd(pico),
            lower_bound=bool(unpriced),
        ),
    )
