"""Projects, each with the totals of its sessions."""

from collections.abc import Sequence
from threading import Lock
from time import monotonic
from typing import Final

from msgspec import structs

from unspool.derive.reading.clock import iso
from unspool.derive.usage.prices import usd
from unspool.engine.sessions.grouping import Grouping, last_part
from unspool.engine.sessions.index_scope import IndexScope
from unspool.engine.sessions.indexed_roots import IndexedRoots
from unspool.model.api import ProjectCheckout, ProjectSummary
from unspool.model.document import Metrics, ProjectGroup
from unspool.model.query import ProjectTotal, Scope

_RELOAD_SECONDS: Final = 60.0
_MAX_CHANGES: Final = 500
_COUNTS: Final = (
    "input_tokens output_tokens cache_read_tokens cache_creation_tokens usd_pico"
    " unpriced lower_bound"
).split()


class ProjectList:
    """Kept up to date by the feed: only projects that changed are added up again."""

    def __init__(self, source: IndexedRoots, scope: IndexScope) -> None:
        self._source, self._index_scope = source, scope
        self._store, self._groups = source.store, source.groups
        self._lock = Lock()
        self._head = -1
        self._scope: Scope = None
        self._until = 0.0
        self._totals: dict[str, ProjectTotal] = {}
        self._grouping: Grouping | None = None
        self._sorted: list[list[ProjectSummary]] = []  # as projects, and separately

    def all(self, *, separate: bool = False) -> list[ProjectSummary]:
        """Every project, newest activity first; or each of their checkouts by itself."""
        head, scope = self._store.head(), self._index_scope.current()
        grouping = self._groups.current()
        with self._lock:
            if head != self._head or scope != self._scope:
                self._refresh(head, scope)
                self._grouping = None
            if grouping is not self._grouping:
                self._grouping = grouping
                self._sorted = [
                    sorted(made, key=_newest, reverse=True)
                    for made in (self._summaries(grouping), self._separate())
                ]
            return self._sorted[separate]

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._head = -1

    def find(self, id: str, *, separate: bool = False) -> ProjectSummary | None:
        """A project by its id; where none has it, or if `separate`, the checkout that has it."""
        every = (*([] if separate else self.all()), *self.all(separate=True))
        return next((one for one in every if one.id == id), None)

    def select(self, text: str, machine: str = "") -> tuple[str, ...] | None:
        """The checkouts a user asks for, on any machine or on one, by their ids; None: all."""
        if not text and not machine:
            return None
        there = filter(self._source.of_machine(machine), self._store.project_ids())
        return tuple(filter(self._groups.current().matching(text), there))

    def _summaries(self, grouping: Grouping) -> list[ProjectSummary]:
        groups: dict[ProjectGroup, list[ProjectTotal]] = {}
        for id, total in self._totals.items():
            groups.setdefault(grouping.of(id) or ProjectGroup(id=id, name=id), []).append(total)
        return [_group(totals, group) for group, totals in groups.items()]

    def _separate(self) -> list[ProjectSummary]:
        every = map(_checkout, self._totals.values())
        return [ProjectSummary(**structs.asdict(one)) for one in every]

    def _refresh(self, head: int, scope: Scope) -> None:
        changed = self._changed() if scope == self._scope else None
        if changed is None:
            self._totals, self._until = {}, monotonic() + _RELOAD_SECONDS
        for id in changed or ():
            self._totals.pop(id, None)
        found = self._store.projects(scope, ids=changed)
        self._totals |= {total.project_id: total for total in found}
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


def _newest(one: ProjectCheckout) -> tuple[str, str]:
    return one.last_activity or "", one.id


def _group(totals: Sequence[ProjectTotal], group: ProjectGroup) -> ProjectSummary:
    """The sum of some checkouts, and each of them."""
    checkouts = tuple(sorted(map(_checkout, totals), key=_newest, reverse=True))
    firsts = [one.first_activity for one in totals if one.first_activity is not None]
    lasts = [one.last_activity for one in totals if one.last_activity is not None]
    alone = checkouts[0] if len(checkouts) == 1 and checkouts[0].id == group.id else None
    return ProjectSummary(
        id=group.id,
        name=alone.name if alone and not group.path else group.name,
        path=alone.path if alone else group.path,
        sessions=sum(one.sessions for one in totals),
        first_activity=iso(min(firsts, default=None)),
        last_activity=iso(max(lasts, default=None)),
        metrics=_metrics(totals),
        checkouts=checkouts,
    )


def _checkout(of: ProjectTotal) -> ProjectCheckout:
    return ProjectCheckout(
        id=of.project_id,
        name=last_part(of.cwd) or of.project_id,
        path=of.cwd,
        sessions=of.sessions,
        first_activity=iso(of.first_activity),
        last_activity=iso(of.last_activity),
        metrics=_metrics([of]),
    )


def _metrics(totals: Sequence[ProjectTotal]) -> Metrics:
    sent, output, read, written, pico, unpriced, unfinished = (
        sum(getattr(one, name) for one in totals) for name in _COUNTS
    )
    return Metrics(
        input_tokens=sent,
        output_tokens=output,
        cache_read_tokens=read,
        cache_creation_tokens=written,
        total_tokens=sent + output + read + written,
        cost_usd=None if unpriced and not pico else usd(pico),
        lower_bound=bool(unpriced or unfinished),
    )
