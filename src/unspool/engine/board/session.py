"""One session on the live board: its row, from its files, hook events and registry entry."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from msgspec import Struct, structs

from unspool.derive.alerts.session import OpenCalls, SessionAlerts
from unspool.derive.board_words import asks_for, event_text, pane_name, said
from unspool.derive.hooks import HookLog
from unspool.derive.reading.clock import moment
from unspool.derive.transcript import Record
from unspool.derive.usage.prices import Pricer, pico
from unspool.engine.dates import local_clock
from unspool.engine.quota import RecentQuota, no_quota
from unspool.engine.sessions.live_session import LiveSession
from unspool.engine.sessions.registry import RegisteredProcess
from unspool.engine.sessions.row import RowContext, session_info, session_row
from unspool.engine.transcripts.reader import Listener
from unspool.errors import UnspoolError
from unspool.model.alerts import Alert, AlertRule
from unspool.model.document import Metrics, Ownership, ToolExecution, TotalMetrics
from unspool.model.hooks import HookEvent
from unspool.model.session import BoardProcess, BoardRow, BoardSpend, RowFacts

_MOST_ALERTS: Final = 20
_PATIENCE: Final = 0.05  # seconds for which a board waits for a page of one of its sessions
# What a row was made from: when none of it changed, only time has passed.
_Stamp: TypeAlias = tuple[int, int, RegisteredProcess | None, int]


class BoardTerms(Struct, frozen=True):
    """What all sessions of a board have in common."""

    pricer: Pricer
    rules: Sequence[AlertRule]
    told: frozenset[str]
    began: int  # what happened before is nobody's news
    quota: RecentQuota = no_quota


class BoardSession:
    """One session and its row."""

    def __init__(self, id: str, project_id: str, terms: BoardTerms) -> None:
        self.id = id
        self.project_id = project_id
        self.live: LiveSession | None = None  # None: no file tells of it
        self.registered: RegisteredProcess | None = None
        self._terms = terms
        self._hooks = HookLog()
        self._events = 0
        self._alerts: list[Alert] = []
        self._alarm = SessionAlerts(terms.rules, id, project_id, terms.told, local_clock)
        self._known: tuple[_Stamp, RowFacts, BoardRow] | None = None
        self._shown: BoardRow | None = None
        self._last_line = 0
        self._unread: dict[str, None] = {}  # paths

    def follow(self, live: LiveSession | None) -> None:
        """Use these files from now on."""
        self.live, self._known, self._shown = live, None, None
        self._unread.clear()
        if live is not None:
            with live.lock:
                self._last_line = live.last_line_at()

    def read(self, path: str, now: int) -> None:
        """Read what was written to one of its files; if it is in use, with the next row."""
        self._unread[path] = None
        if self.live is not None and self.live.lock.acquire(timeout=_PATIENCE):
            try:
                self._read_on(self.live, now)
            finally:
                self.live.lock.release()

    def _read_on(self, live: LiveSession, now: int) -> None:
        for path in self._unread:
            with suppress(UnspoolError):  # closed to us for now
                live.read_file(path, now)
        self._unread.clear()
        self._last_line = live.last_line_at()

    def hear(self, event: HookEvent) -> None:
        """Add a hook event."""
        self._hooks.add(event)
        self._events += 1

    def listener(self, agent: str) -> Listener:
        """The listener of one transcript, for alerts."""
        calls = OpenCalls(agent)

        def listen(records: Sequence[Record]) -> None:
            self._notice(calls.executions(records))

        return listen

    def row(self, now: int, midnight: int) -> BoardRow:
        """The row at a time; only what changed is computed again.

        While a page uses the session for long, this is the row of before.
        """
        if self.live is None:
            return self._row(None, now, midnight)
        known = self._shown
        if not self.live.lock.acquire(timeout=_PATIENCE if known else -1) and known:
            return known
        try:
            self._read_on(self.live, now)
            with suppress(UnspoolError):
                self.live.read_unfinished(now)
            self._shown = self._row(self.live, now, midnight)
            return self._shown
        finally:
            self.live.lock.release()

    def _row(self, live: LiveSession | None, now: int, midnight: int) -> BoardRow:
        is_known = self._known is not None and self._known[0] == self._stamp(midnight)
        if not is_known or (live is not None and live.may_own_less):
            if live is not None:
                live.ask_owners()
                self._last_line = live.last_line_at()
            facts = self._facts(live)
            row = self._made(live, facts, now, midnight)
            self._known = self._stamp(midnight), facts, row
        assert self._known is not None  # noqa: S101 - made a moment ago
        _, facts, row = self._known
        context = RowContext(now, quota=self._terms.quota)
        info = session_info(facts, self._hooks.fold.state, self.registered, context)
        works = info.status.state == "working"
        waits = info.status.state == "waiting_for_approval"
        errands = tuple(live.errands(now)) if live else ()
        waits_for = self._waits_for(live) if waits else ""
        self._keep(self._alarm.status(info.status, info.pending_tool, now, waits_for))
        return structs.replace(
            row,
            session=info,
            waits_for=waits_for,
            asks=self._asks(live) if waits else "",
            process=_process(self.registered),
            running=tuple(live.main.fold.status.running(agents=not errands))
            if live and works
            else (),
            agents=errands,
            alerts=tuple(self._alerts),
        )

    def _stamp(self, midnight: int) -> _Stamp:
        return self.live.version if self.live else 0, self._events, self.registered, midnight

    def _facts(self, live: LiveSession | None) -> RowFacts:
        told = self._hooks.heard.facts(self.project_id, self.id)
        is_told = self.registered is not None or not self._hooks.heard.is_silent
        if live is None:
            return structs.replace(told, session_id=self.id, project_id=self.project_id)
        return live.facts(told, self.registered, is_told=is_told)

    @property
    def lives(self) -> bool:
        """Whether its process is alive."""
        return self.registered is not None and self.registered.alive

    @property
    def is_worth_reading(self) -> bool:
        """Whether it has anything to show."""
        live = self.live
        return live is None or not live.has_own or live.main.fold.about.displayable

    def wrote_at(self) -> int:
        """The time of its last line or hook event."""
        return max(self._hooks.heard.last or 0, self._last_line)

    def last_activity(self) -> int:
        """The time of its last line, hook event or registry update."""
        found = self.registered
        times = (found.entry.updated_at, found.entry.started_at) if found else ()
        return max([self.wrote_at(), *(moment(at) or 0 for at in times)])

    def _made(self, live: LiveSession | None, facts: RowFacts, now: int, midnight: int) -> BoardRow:
        ownership: Ownership = "exact" if live is None or live.is_exact else "by_marks"
        total = live.usage().total if live else Metrics()
        used = TotalMetrics(**structs.asdict(total), ownership=ownership)
        context = RowContext(now, quota=self._terms.quota)
        made = session_row(facts, self._hooks.fold.state, self.registered, used, context)
        self._keep(self._alarm.spent(used.total_tokens, pico(used.cost_usd or 0), now))
        tokens = live.main.fold.context if live else 0
        return BoardRow(
            session=made.session,
            metrics=made.metrics,
            context_tokens=tokens,
            context_limit=_limit(tokens, self._terms.pricer.window(facts.model or "", now)),
            today=_spend(live.usage().since(midnight)) if live else BoardSpend(),
        )

    def _waits_for(self, live: LiveSession | None) -> str:
        asked = self._hooks.fold.state.asked
        told = asks_for(asked) if asked else ""
        told = told or (live.main.fold.status.waits_for() if live else "")
        return told or (said(self.registered.entry.waiting_for) if self.registered else "")

    def _asks(self, live: LiveSession | None) -> str:
        asked = self._hooks.fold.state.asked
        told = event_text(asked) if asked else ""
        return told or (live.main.fold.status.asked_text() if live else "")

    def _notice(self, executions: Iterable[ToolExecution]) -> None:
        for one in executions:
            self._keep(self._alarm.execution(one))

    def _keep(self, alerts: Sequence[Alert]) -> None:
        recent = (one for one in alerts if one.at is None or one.at >= self._terms.began)
        news = [structs.replace(one, title=self._title()) for one in recent]
        self._alerts = [*self._alerts, *news][-_MOST_ALERTS:]

    def _title(self) -> str:
        if self._known is None:
            return ""
        one = self._known[2].session
        return ": ".join(filter(None, (one.project_name, one.title or one.goal)))


def _process(found: RegisteredProcess | None) -> BoardProcess | None:
    if found is None or not found.alive:
        return None
    entry = found.entry
    tmux, entrypoint = pane_name(entry.tmux), entry.entrypoint or ""
    return BoardProcess(pid=found.file.pid, tmux=tmux, entrypoint=entrypoint)


def _spend(used: Metrics) -> BoardSpend:
    return BoardSpend(tokens=used.total_tokens, cost_usd=used.cost_usd, unpriced=used.unpriced)


def _limit(used: int, known: int | None) -> int | None:
    """The size of the context window; more in it than fits means that it is the larger one."""
    if known is None or used <= known:
        return known
    return 1_000_000 if used <= 1_000_000 else None
