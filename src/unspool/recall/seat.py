"""One session on the live board: its files, its hooks, its place in the registry -> its row."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, structs

from unspool.derive.about import agents_info, session_info
from unspool.derive.alerts.session import SessionAlerts
from unspool.derive.board import BoardFold
from unspool.derive.board_heard import heard_info, moment
from unspool.derive.board_words import asks_for, said
from unspool.derive.hooks import HookLog
from unspool.derive.status import TranscriptState, standing, with_agents
from unspool.derive.usage.lines import FileUsage
from unspool.derive.usage.prices import Pricer, pico
from unspool.derive.usage.session_usage import SessionUsage
from unspool.model.alerts import Alert, AlertRule
from unspool.model.board import BoardRow, Spend
from unspool.model.document import Metrics, SessionInfo, Status, ToolExecution, TotalMetrics
from unspool.model.hooks import HookEvent
from unspool.recall.growing import Growing, Replaced, agent_of
from unspool.recall.owners import Owners, SessionOwners
from unspool.recall.registered import Registered

_MOST_ALERTS: Final = 20


class Terms(Struct, frozen=True):
    """What all sessions of a board have in common."""

    pricer: Pricer
    rules: Sequence[AlertRule]
    told: frozenset[str]
    began: int  # what happened before is nobody's news
    owners: Owners | None = None


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
        self._still: BoardRow | None = None
        self._day = 0

    def read(self, path: str) -> None:
        """Take in what was written to its own file; another one than before takes its place."""
        if self.main is None or self.main.path != path:
            is_other = self.main is not None
            self.main = self._growing(path)
            if is_other:
                self._again()
        self._take_in(self.main)

    def read_agent(self, path: str) -> None:
        """Take in what was written to the file of one of its agents."""
        agent = agent_of(path)
        if agent not in self.agents:
            self.agents[agent] = self._growing(path, agent)
        self._take_in(self.agents[agent])

    def hear(self, event: HookEvent) -> None:
        """Take in a hook event."""
        self._hooks.add(event)
        self._still = None

    def enlist(self, found: Registered | None) -> None:
        """Note what the registry says of it."""
        if found != self.registered:
            self.registered = found
            self._still = None if self.main is None else self._still

    def _growing(self, path: str, agent: str = "") -> Growing:
        tell = self._notice if self._terms.rules else None
        usage = FileUsage(self.id, agent, self._usage.put)
        return Growing(path, BoardFold(usage, self.id, agent, tell=tell))

    def _take_in(self, file: Growing) -> None:
        self._still = None
        try:
            file.read()
        except Replaced:
            self._again()

    def _again(self) -> None:
        """Read all its files from the start: one of them is another than before."""
        self._usage = SessionUsage(self._terms.pricer)
        self.main = self._growing(self.main.path) if self.main else None
        self.agents = {id: self._growing(one.path, id) for id, one in self.agents.items()}
        for file in self._files():
            try:
                file.read()
            except Replaced:
                continue  # and once more: the next look shows it

    def _files(self) -> list[Growing]:
        return [*([self.main] if self.main else ()), *self.agents.values()]

    def _folds(self) -> list[BoardFold]:
        files = [file.fold for file in self._files()]
        return [*files, *(inside for fold in files for inside in fold.inline.values())]

    def _at_work(self, now: int) -> list[tuple[BoardFold, str]]:
        """The agents at work, with or without a file, each with its errand."""
        inline = self.main.inline_at_work(now) if self.main else []
        found = [agent for agent in self.agents.values() if agent.is_ongoing(now)]
        return [*inline, *((agent.fold, agent.errand) for agent in found)]

    def row(self, now: int, midnight: int) -> BoardRow:
        """How it stands at a moment; only what changed since is worked out again."""
        if self._still is None or self._day != midnight or self._is_disowned():
            self._still, self._day = self._made(now, midnight), midnight
        status, at_work = self.status(now), self._at_work(now)
        works, waits = status.state == "working", status.state == "waiting_for_approval"
        fold = self.main.fold if self.main else None
        pending = fold.pending() if fold and (works or waits) else None
        self._keep(self._alarm.status(status, pending, now))
        return structs.replace(
            self._still,
            session=structs.replace(self._still.session, status=status, pending_tool=pending),
            waits_for=self._waits_for() if waits else "",
            running=tuple(fold.running(agents=not at_work)) if fold and works else (),
            agents=tuple(errand for _, errand in at_work),
            alerts=tuple(self._alerts),
        )

    def status(self, now: int) -> Status:
        """What it does, and what proves it."""
        told = self.main.fold.status.state if self.main else TranscriptState()
        working = (fold for fold, _ in self._at_work(now))
        agents_at = max((fold.status.state.last_at or 0 for fold in working), default=None)
        found = self.registered
        entry, alive = (found.entry, found.alive) if found else (None, None)
        return standing(with_agents(told, agents_at), self._hooks.fold.state, entry, alive, now)

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

    def today(self, midnight: int) -> Spend:
        """What it used since a moment."""
        return _spend(self._usage.since(midnight))

    def _made(self, now: int, midnight: int) -> BoardRow:
        is_exact = self._ask_owners()
        used, info = self._usage.total, self._info()
        messages = sum(fold.messages for fold in self._folds())
        total = structs.replace(used, message_count=messages, duration_ms=info.duration_ms)
        self._keep(self._alarm.spent(used.total_tokens, pico(used.cost_usd or 0), now))
        context = self.main.fold.context if self.main else 0
        return BoardRow(
            session=info,
            metrics=TotalMetrics(
                **structs.asdict(total), ownership="exact" if is_exact else "by_marks"
            ),
            context_tokens=context,
            context_limit=_limit(context, self._terms.pricer.window(info.model, now)),
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

    def _info(self) -> SessionInfo:
        if self.main is not None:
            return session_info(self.id, self.project_id, self.main.fold.known())
        entry = self.registered.entry if self.registered else None
        heard = self._hooks.heard
        if self.agents and entry is None and heard.first is None:
            agents = (agent.fold.known() for agent in self.agents.values())
            return agents_info(self.id, self.project_id, agents)
        return heard_info(self.id, self.project_id, heard, entry)

    def _waits_for(self) -> str:
        asked = self._hooks.fold.state.asked
        told = asks_for(asked) if asked else ""
        told = told or (self.main.fold.waits_for() if self.main else "")
        return told or (said(self.registered.entry.waiting_for) if self.registered else "")

    def _notice(self, execution: ToolExecution) -> None:
        self._keep(self._alarm.execution(execution))

    def _keep(self, alerts: Sequence[Alert]) -> None:
        news = [one for one in alerts if one.at is None or one.at >= self._terms.began]
        self._alerts = [*self._alerts, *news][-_MOST_ALERTS:]


def _spend(used: Metrics) -> Spend:
    return Spend(tokens=used.total_tokens, cost_usd=used.cost_usd, unpriced=used.unpriced)


def _limit(used: int, known: int | None) -> int | None:
    """What fits into the context; where more is in it than that, it is the larger kind."""
    if known is None or used <= known:
        return known
    return 1_000_000 if used <= 1_000_000 else None
