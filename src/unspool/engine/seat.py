"""One session on the live board: its files, its hooks, its place in the registry -> its row."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct, structs

from unspool.derive.alerts.session import OpenCalls, SessionAlerts
from unspool.derive.board_words import asks_for, said
from unspool.derive.hooks import HookLog
from unspool.derive.reading.clock import moment
from unspool.derive.row_facts import (
    Counts,
    agent_facts,
    join_agents,
    transcript_facts,
    with_hooks,
)
from unspool.derive.status import at_rest
from unspool.derive.transcript import TranscriptFold, Views
from unspool.derive.usage.file_usage import FileUsage
from unspool.derive.usage.prices import Pricer, pico
from unspool.derive.usage.session_usage import SessionUsage
from unspool.engine.growing import Growing, Replaced, agent_of, is_shown
from unspool.engine.indexing.ids import source_id
from unspool.engine.owners import Owners, SessionOwners
from unspool.engine.registered import Registered
from unspool.engine.session_row import session_info, session_row
from unspool.errors import UnspoolError
from unspool.model.alerts import Alert, AlertRule
from unspool.model.document import Metrics, Ownership, ToolExecution, TotalMetrics
from unspool.model.files import Root
from unspool.model.hooks import HookEvent
from unspool.model.rows import SourceRow
from unspool.model.session import AgentFacts, BoardRow, BoardSpend, RowFacts
from unspool.store import Store

_MOST_ALERTS: Final = 20


class Terms(Struct, frozen=True):
    """What all sessions of a board have in common."""

    pricer: Pricer
    rules: Sequence[AlertRule]
    told: frozenset[str]
    began: int  # what happened before is nobody's news
    owners: Owners | None = None
    roots: Sequence[Root] = ()


class Seat:
    """What is known of one session; `row` says how it stands."""

    def __init__(self, id: str, project_id: str, terms: Terms) -> None:
        self.id = id
        self.project_id = project_id
        self.registered: Registered | None = None
        self.main: Growing | None = None
        self.agents: dict[str, Growing] = {}
        self._terms = terms
        self._hooks = HookLog()
        self._alerts: list[Alert] = []
        self._alarm = SessionAlerts(terms.rules, id, project_id, terms.told)
        self._usage = SessionUsage(terms.pricer)
        self._owners: SessionOwners | None = None
        self._sources: Mapping[str, SourceRow] | None = None  # what the index had when it began
        self._is_resumed = False
        self._known: tuple[RowFacts, BoardRow] | None = None
        self._day = 0

    def read(self, path: str) -> None:
        """Take in what was written to its own file; another one than before takes its place."""
        if self.main is None or self.main.path != path:
            is_other = self.main is not None
            self.main = self._growing(path) if is_other else self._opened(path)
            if is_other:
                self._again()
        self._take_in(self.main)

    def read_agent(self, path: str) -> None:
        """Take in what was written to the file of one of its agents."""
        agent = agent_of(path)
        if agent not in self.agents:
            self.agents[agent] = self._opened(path, agent)
        self._take_in(self.agents[agent])

    def hear(self, event: HookEvent) -> None:
        """Take in a hook event."""
        self._hooks.add(event)
        self._known = None

    def enlist(self, found: Registered | None) -> None:
        """Note what the registry says of it."""
        if found != self.registered:
            self.registered = found
            self._known = None if self.main is None else self._known

    def _opened(self, path: str, agent: str = "") -> Growing:
        """A file, from what the index has of it; alerts ask about every call, so they need all."""
        store = self._terms.owners.store if self._terms.owners else None
        if store is not None and not self._terms.rules:
            with suppress(UnspoolError):
                file, source = self._growing(path, agent), self._stored(store).get(path)
                if source is not None and file.resume(store, source):
                    self._resume_usage(store, file)
                    return file
        return self._growing(path, agent)

    def _stored(self, store: Store) -> Mapping[str, SourceRow]:
        if self._sources is None:
            known = store.sources_of(self.project_id, self.id)
            self._sources = {os.path.join(one.root, one.path): one for one in known}
        return self._sources

    def _resume_usage(self, store: Store, file: Growing) -> None:
        """The index knows what all its files have used: once is enough."""
        if not self._is_resumed:
            file.fold.usage.resume(store.responses(self.project_id, self.id))
            self._is_resumed = True

    def _growing(self, path: str, agent: str = "") -> Growing:
        usage = FileUsage(self.id, agent, source=self._source(path))
        fold = TranscriptFold(self.id, agent, views=Views.USAGE, usage=usage)
        if not self._terms.rules:
            return Growing(path, fold)
        calls = OpenCalls(agent)
        return Growing(path, fold, lambda records: self._notice(calls.executions(records)))

    def _source(self, path: str) -> int | str:
        """What the index calls a file."""
        for root in self._terms.roots:
            if path.startswith(root.path + os.sep):
                return source_id(root.path, path.removeprefix(root.path + os.sep))
        return ""

    def _take_in(self, file: Growing) -> None:
        self._known = None
        try:
            file.read()
            self._usage.put_all(file.fold.usage.drain())
        except Replaced:
            self._again()

    def _again(self) -> None:
        """Read all its files from the start: one of them is another than before."""
        self._usage = SessionUsage(self._terms.pricer)
        self.main = self._growing(self.main.path) if self.main else None
        self.agents = {id: self._growing(one.path, id) for id, one in self.agents.items()}
        for file in self._files():
            with suppress(Replaced):  # and once more: the next look shows it
                file.read()
            self._usage.put_all(file.fold.usage.drain())

    def _files(self) -> list[Growing]:
        return [*([self.main] if self.main else ()), *self.agents.values()]

    def _folds(self) -> list[TranscriptFold]:
        files = [file.fold for file in self._files()]
        return [*files, *(inside for fold in files for inside in fold.inline.values())]

    def _at_work(self, now: int) -> list[tuple[TranscriptFold, str]]:
        """The agents at work, with or without a file, each with its errand."""
        inline = self.main.inline_at_work(now) if self.main else []
        found = [agent for agent in self.agents.values() if agent.is_ongoing(now)]
        return [*inline, *((agent.fold, agent.errand) for agent in found)]

    def row(self, now: int, midnight: int) -> BoardRow:
        """How it stands at a moment; only what changed since is worked out again."""
        if self._known is None or self._day != midnight or self._is_disowned():
            facts = self._facts()
            self._known, self._day = (facts, self._made(facts, now, midnight)), midnight
        facts, row = self._known
        info = session_info(facts, self._hooks.fold.state, self.registered, None, now)
        works = info.status.state == "working"
        waits = info.status.state == "waiting_for_approval"
        at_work, fold = self._at_work(now), self.main.fold if self.main else None
        self._keep(self._alarm.status(info.status, info.pending_tool, now))
        return structs.replace(
            row,
            session=info,
            waits_for=self._waits_for() if waits else "",
            running=tuple(fold.status.running(agents=not at_work)) if fold and works else (),
            agents=tuple(errand for _, errand in at_work),
            alerts=tuple(self._alerts),
        )

    def _facts(self) -> RowFacts:
        told, agents = self._hooks.heard.facts(self.project_id, self.id), self._agent_facts()
        if self.main is None:
            is_told = self.registered is not None or not self._hooks.heard.is_silent
            alone = [agent_facts(one.fold.known()) for one in self.agents.values()]
            facts = told if is_told or not alone else join_agents(alone)
            agents = agents or None
        else:
            fold = self.main.fold
            facts = transcript_facts(fold.known(), fold.status.state, Counts(fold.messages))
            facts = structs.replace(facts, last_write=self.main.last_write)
            if not facts.is_displayable:
                facts = with_hooks(facts, told, is_alive=self.lives)
        return structs.replace(facts, session_id=self.id, project_id=self.project_id, agents=agents)

    def _agent_facts(self) -> tuple[AgentFacts, ...] | None:
        """The agents that somebody asked for; one that has a file as well is read there."""
        main = self.main.fold if self.main else None
        inline = main.inline if main else {}
        folds = inline | {id: one.fold for id, one in self.agents.items()}
        states = {id: fold.status.state for id, fold in folds.items()}
        if main and not main.status.has_sent:
            states |= {id: at_rest(states[id]) for id in inline if id not in self.agents}
        return tuple(
            AgentFacts(id, fold.messages, states[id])
            for id, fold in folds.items()
            if is_shown(id, fold)
        )

    @property
    def lives(self) -> bool:
        """Whether its process is known to run."""
        return self.registered is not None and self.registered.alive

    @property
    def is_worth_reading(self) -> bool:
        """Whether anybody has said anything in it, as far as is known."""
        return self.main is None or self.main.fold.about.displayable

    def wrote_at(self) -> int:
        """When its transcripts or hooks last gave a sign of life."""
        signs = [fold.status.state.last_at or 0 for fold in self._folds()]
        return max([self._hooks.heard.last or 0, *signs])

    def last_activity(self) -> int:
        """When anything last gave a sign of life."""
        found = self.registered
        times = (found.entry.updated_at, found.entry.started_at) if found else ()
        return max([self.wrote_at(), *(moment(at) or 0 for at in times)])

    def today(self, midnight: int) -> BoardSpend:
        """What it used since a moment."""
        return _spend(self._usage.since(midnight))

    def _made(self, facts: RowFacts, now: int, midnight: int) -> BoardRow:
        ownership: Ownership = "exact" if self._ask_owners() else "by_marks"
        used = TotalMetrics(**structs.asdict(self._usage.total), ownership=ownership)
        made = session_row(facts, self._hooks.fold.state, self.registered, used, None, now)
        self._keep(self._alarm.spent(used.total_tokens, pico(used.cost_usd or 0), now))
        context = self.main.fold.context if self.main else 0
        return BoardRow(
            session=made.session,
            metrics=made.metrics,
            context_tokens=context,
            context_limit=_limit(context, self._terms.pricer.window(facts.model or "", now)),
            today=self.today(midnight),
        )

    def _is_disowned(self) -> bool:
        """Whether the index may have found an owner for what was taken for ours."""
        return self._owners is not None and self._owners.is_stale

    def _ask_owners(self) -> bool:
        """Count what is the session's own; whether that is exact."""
        if self._terms.owners is None or self.main is None:
            return False
        if self._owners is None:
            self._owners = SessionOwners(self._terms.owners, self.project_id, self.id)
        found = self._owners.look([file.fold.usage for file in self._files()])
        self._usage.correct(found.elsewhere, found.earlier)
        return found.is_exact

    def _waits_for(self) -> str:
        asked = self._hooks.fold.state.asked
        told = asks_for(asked) if asked else ""
        told = told or (self.main.fold.status.waits_for() if self.main else "")
        return told or (said(self.registered.entry.waiting_for) if self.registered else "")

    def _notice(self, executions: Iterable[ToolExecution]) -> None:
        for one in executions:
            self._keep(self._alarm.execution(one))

    def _keep(self, alerts: Sequence[Alert]) -> None:
        news = [one for one in alerts if one.at is None or one.at >= self._terms.began]
        self._alerts = [*self._alerts, *news][-_MOST_ALERTS:]


def _spend(used: Metrics) -> BoardSpend:
    return BoardSpend(tokens=used.total_tokens, cost_usd=used.cost_usd, unpriced=used.unpriced)


def _limit(used: int, known: int | None) -> int | None:
    """What fits into the context; where more is in it than that, it is the larger kind."""
    if known is None or used <= known:
        return known
    return 1_000_000 if used <= 1_000_000 else None
