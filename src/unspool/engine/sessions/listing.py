"""The index -> sessions as rows of a list, each with how it stands now."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import MsgspecError, structs
from msgspec.json import encode as to_json
from msgspec.msgpack import Decoder

from unspool.derive.approvals import HookState, hook_state
from unspool.derive.hooks import distinct_events
from unspool.derive.reading.clock import millis
from unspool.derive.row_facts import stored_facts, with_hooks
from unspool.engine.archive.reader import Archive
from unspool.engine.hooks.events import SpoolEvents, stored_events
from unspool.engine.quota import RecentQuota, no_quota
from unspool.engine.sessions.grouping import Grouping
from unspool.engine.sessions.hook_sessions import hook_only_session
from unspool.engine.sessions.marks import AllMarks
from unspool.engine.sessions.registry import Registry
from unspool.engine.sessions.row import (
    NO_HOOKS,
    RowContext,
    last_activity,
    pending_call,
    place,
    running_calls,
    session_row,
    status_of,
    usage_sum,
)
from unspool.model.document import TotalMetrics
from unspool.model.files import Root
from unspool.model.hooks import HookEvent
from unspool.model.query import SessionKey, SessionListing, SessionQuery, StatusRow
from unspool.model.session import AgentFacts, RowFacts, SessionSummary, TranscriptState
from unspool.remote_paths import is_remote
from unspool.source.claude_code import is_name
from unspool.store import Store

_PAGE: Final = 200
_FEW: Final = 20
_UNKNOWN: Final = AgentFacts("", 0, TranscriptState())
_agent: Final = Decoder(AgentFacts)

# Of a session: how many hook events were stored and spooled, and where they leave it.
HookStates: TypeAlias = dict[SessionKey, tuple[int, int, HookState]]


class Listing:
    """What the index knows of some roots at one moment; no file of a session is opened.

    Who lists often keeps the states of hooks from one listing to the next.
    """

    def __init__(  # noqa: PLR0913 - four are optional, by name
        self,
        store: Store,
        roots: Sequence[Root],
        spool: str,
        now: int,
        *,
        marks: AllMarks | None = None,
        groups: Grouping = Grouping(),  # noqa: B008 - never changed
        hook_states: HookStates | None = None,
        quota: RecentQuota = no_quota,
    ) -> None:
        self._store, self._roots, self._now, self._quota = store, roots, now, quota
        self._has_files = not any(is_remote(root.path) for root in roots)
        self._tops = [os.path.join(root.projects, root.only or "", "") for root in roots]
        self._marks, self._groups = marks or {}, groups
        self._hook_states = {} if hook_states is None else hook_states
        spools = {source.source_id: source for source in store.spools()} if spool else {}
        self._spooled = SpoolEvents(spool, roots, Archive(store, spools))
        self._spooled.read_on()
        self._live = Registry(roots).sessions()

    def summaries(
        self,
        *,
        project: str = "",
        only: Collection[str] | None = None,
        prefix: str = "",
        since: int | None = None,
        after: tuple[int, str, str] | None = None,
        everything: bool = False,
    ) -> Iterator[SessionSummary]:
        """Sessions, newest activity first; as many as are asked for are made.

        `only` are whole ids, `prefix` is what they begin with, `project` is what a user typed,
        `after` is the place of the last session before.
        """
        is_asked = self._groups.matching(project)
        others = [
            row
            for row in self._unindexed(everything)
            if last_activity(row) >= (since or 0)
            and (after is None or place(row) < after)
            and is_asked(row.session.project_id)
            and (only is None or row.session.project_id in only)
            and row.session.project_id.startswith(prefix)
        ]
        others.sort(key=place, reverse=True)
        unindexed = {(row.session.project_id, row.session.id) for row in others}
        projects = None if only is None else tuple(only)
        if project:
            ids = self._store.project_ids() if only is None else only
            projects = self._groups.select(project, ids)
        query = SessionQuery(
            projects=projects, prefix=prefix, since=since, after=after, everything=everything
        )
        for row in self._rows(query):
            if (row.session.project_id, row.session.id) in unindexed:
                continue  # it can be shown since we asked, and is there once all the same
            while others and place(others[0]) > place(row):
                yield others.pop(0)
            yield row
        yield from others

    def row(self, project_id: str, session_id: str) -> SessionSummary | None:
        """One session."""
        found = [row for row in self._named(session_id) if row.project_id == project_id]
        return next(self._made(found[:1]), None)

    def rows(self, names: Iterable[SessionKey]) -> Iterator[SessionSummary]:
        """Some sessions of ours, in any order; nothing for those that are not known."""
        for project_id, session_id in names:
            named = (row for row in self._named(session_id) if row.project_id == project_id)
            yield from self._made([row for row in named if self._is_ours(row)])

    def standing(self, project_id: str, session_id: str) -> StatusRow | None:
        """How a session stands, in the words of SQL."""
        found = [row for row in self._named(session_id) if row.project_id == project_id]
        return next((standing for _, standing in self._stand(found[:1])), None)

    def standings(self) -> Iterator[tuple[SessionKey, StatusRow]]:
        """The status of every session, for queries about most of them."""
        for rows in self._pages(SessionQuery(everything=True)):
            yield from self._stand(rows)

    def _stand(self, rows: Sequence[SessionListing]) -> Iterator[tuple[SessionKey, StatusRow]]:
        agents = self._store.agents_of([(row.project_id, row.session_id) for row in rows])
        for row in rows:
            name = row.project_id, row.session_id
            facts, live = self._facts(row, agents.get(name, ())), self._live.get(row.session_id)
            status = status_of(facts, self._hooks(row), live, self._now, self._quota)
            pending = pending_call(facts, status)
            yield (
                name,
                StatusRow(
                    status.state,
                    status.evidence,
                    millis(status.since),
                    to_json(pending).decode() if pending else "",
                    frozenset(running_calls(facts, status, self._now)),
                    millis(status.until),
                    status.error,
                ),
            )

    def _rows(self, query: SessionQuery) -> Iterator[SessionSummary]:
        for rows in self._pages(query):
            yield from self._made([row for row in rows if self._is_ours(row)])

    def _pages(self, query: SessionQuery) -> Iterator[list[SessionListing]]:
        query = structs.replace(query, limit=_PAGE)
        while True:
            rows = self._store.sessions(query)
            yield rows
            if len(rows) < _PAGE:
                return
            last = rows[-1]
            after = last.last_activity or 0, last.session_id, last.project_id
            query = structs.replace(query, after=after)

    def _made(self, rows: Sequence[SessionListing]) -> Iterator[SessionSummary]:
        names = [(row.project_id, row.session_id) for row in rows]
        usage, agents = self._store.usage_of(names), self._store.agents_of(names)
        for name, row in zip(names, rows, strict=True):
            facts = self._facts(row, agents.get(name, ()))
            yield self._row(facts, self._hooks(row), usage_sum(usage.get(name, ())))

    def _row(self, facts: RowFacts, hooks: HookState, usage: TotalMetrics) -> SessionSummary:
        mark = self._marks.get((facts.project_id, facts.session_id))
        live = self._live.get(facts.session_id)
        group = self._groups.of(facts.project_id)
        context = RowContext(self._now, mark, group, self._quota)
        return session_row(facts, hooks, live, usage, context)

    def _facts(self, row: SessionListing, packed: Iterable[bytes]) -> RowFacts:
        agents = tuple(map(_unpacked, packed))
        is_read = agents or row.lines is not None
        return structs.replace(stored_facts(row), agents=agents if is_read else None)

    def _hooks(self, row: SessionListing) -> HookState:
        name = row.project_id, row.session_id
        fresh = len(self._spooled.fresh(*name))
        if not row.hooks and not fresh:
            return NO_HOOKS
        stored, spooled, state = self._hook_states.get(name, (0, 0, NO_HOOKS))
        if (stored, spooled) != (row.hooks, fresh):
            events = [*stored_events(self._store, *name), *self._spooled.fresh(*name)]
            state = hook_state(distinct_events(events))
            self._hook_states[name] = row.hooks, fresh, state
        return state

    def _unindexed(self, everything: bool) -> Iterator[SessionSummary]:
        """Sessions of which only the registry, or events that are not indexed yet, tell."""
        events_by_id: dict[str, list[HookEvent]] = {
            id: [] for id, one in self._live.items() if one.alive
        }
        for project, id in self._spooled.names(archived=False):
            if is_name(id):
                events_by_id.setdefault(id, []).extend(self._spooled.of(project, id))
        for id, spooled in events_by_id.items():
            known = [row for row in self._named(id) if self._is_ours(row)]
            if any(everything or row.is_displayable for row in known):
                continue
            found = hook_only_session(id, spooled, self._live.get(id), self._roots)
            if found is None:
                continue
            facts, events, live = found
            if known:
                is_alive = live is not None and live.alive
                facts = with_hooks(self._facts(known[0], ()), facts, is_alive=is_alive)
            if facts.is_displayable:
                yield self._row(facts, hook_state(events), TotalMetrics())

    def _named(self, session_id: str) -> list[SessionListing]:
        return self._store.sessions(SessionQuery(id=session_id, everything=True, limit=_FEW))

    def _is_ours(self, row: SessionListing) -> bool:
        if not self._has_files:
            return True  # the store has nothing that may not be seen
        if not row.transcript_path:
            return row.origin == "hook"  # known from events that name no file
        if any(map(row.transcript_path.startswith, self._tops)):
            return True
        path = Path(row.transcript_path)  # a hook may write it in another way
        return any(path.is_relative_to(top) for top in self._tops)


class StatusReader:
    """Tells one question in SQL how sessions stand: one by one, or once it asks for many, all."""

    def __init__(
        self,
        store: Store,
        roots: Sequence[Root],
        spool: str,
        now: int,
        quota: RecentQuota = no_quota,
    ) -> None:
        self._given, self._quota = (store, roots, spool, now), quota
        self._listing: Listing | None = None
        self._known: dict[SessionKey, StatusRow | None] = {}

    def __call__(self, project_id: str, session_id: str) -> StatusRow | None:
        """How a session stands."""
        name = project_id, session_id
        if name not in self._known:
            self._listing = self._listing or Listing(*self._given, quota=self._quota)
            if len(self._known) == _FEW:
                self._known |= dict(self._listing.standings())
            if name not in self._known:
                self._known[name] = self._listing.standing(*name)
        return self._known[name]


def _unpacked(packed: bytes) -> AgentFacts:
    try:
        return _agent.decode(packed)
    except MsgspecError:
        return _UNKNOWN
