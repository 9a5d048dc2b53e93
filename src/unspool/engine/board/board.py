"""The live board: every active session, updated from the events of a watcher."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, TypeAlias

from unspool.derive.alerts.limits import quota_alerts, thresholds
from unspool.derive.alerts.session import AlertDeduplicator
from unspool.derive.reading.clock import iso, millis
from unspool.derive.row_facts import whereabouts
from unspool.derive.transcript import Views
from unspool.derive.usage.prices import Pricer, pico, usd
from unspool.derive.usage.quota import paces
from unspool.derive.whole import Prices
from unspool.engine.archive.reader import Archive
from unspool.engine.board.session import BoardSession, BoardTerms
from unspool.engine.hooks.events import HookTail
from unspool.engine.sessions.finder import place_of
from unspool.engine.sessions.hook_sessions import registry_project
from unspool.engine.sessions.live_session import LiveSession
from unspool.engine.sessions.options import BoardOptions, ReadingOptions
from unspool.engine.sessions.ownership import Owners
from unspool.engine.sessions.registry import RegisteredProcess, Registry
from unspool.engine.transcripts.archived import ArchivedSessions
from unspool.errors import UnspoolError
from unspool.model.alerts import Alert
from unspool.model.files import Root, SessionFiles, TranscriptFile, WatchEvent
from unspool.model.hooks import HookEvent
from unspool.model.prices import PriceTable
from unspool.model.session import (
    Board,
    BoardRow,
    BoardSpend,
    QuotaSpan,
    QuotaSpeed,
    QuotaStatus,
)
from unspool.model.usage import QuotaPace
from unspool.source.files import is_agent
from unspool.source.forgotten import forgotten_names, is_forgotten_in
from unspool.source.session_files import project_of, session_files, transcript_files

Name: TypeAlias = tuple[str, str]  # project and session
# Where a session's main transcript is, or would be -> the session; NotFound where it has no files.
OpenSession: TypeAlias = Callable[[TranscriptFile], LiveSession]

_HOUR: Final = 3_600_000
_FAREWELL: Final = _HOUR  # how long one that has ended stays on the board
_ASK_AGAIN: Final = 15_000  # how long the ledger's word on the others is good


class LiveBoard:
    """Start a watcher first; then pass its events to `look`, and ask for the `board`."""

    def __init__(
        self,
        roots: Sequence[Root],
        prices: PriceTable,
        watching: BoardOptions,
        *,
        now: int,
        open_session: OpenSession | None = None,  # who has sessions open already
    ) -> None:
        self._roots = roots
        self._watching = watching
        self._owners = watching.owners or Owners(roots)
        self._setting = ReadingOptions(now, Prices(prices), owners=self._owners)
        self._open_session = open_session
        self._terms = BoardTerms(
            Pricer(prices), watching.rules, watching.notified, now, watching.recent_quota
        )
        self._sessions: dict[Name, BoardSession] = {}
        self._tail = HookTail()
        self._deduplicator = AlertDeduplicator(watching.notified)
        self._alerts: list[Alert] = []
        self._others: tuple[int, Mapping[Name, BoardSpend]] = (0, {})
        self._left: dict[Name, tuple[int, BoardSpend]] = {}
        self._registry = Registry(roots)
        self._begin(now)

    def look(self, changed: Iterable[WatchEvent], now: int) -> None:
        """Read only what has changed."""
        for one in changed:
            if one.kind == "registry":
                self._registry.look(one.path, now)
            elif one.gone:
                self._lose(one, now)
            elif one.kind == "spool":
                self._hear(self._tail.spooled(one.path), now)
            elif one.kind == "hook_log":
                self._hear(self._tail.log(one.path, one.session_id or ""), now, one.project_id)
            elif one.session_id and (one.kind == "main" or is_agent(one.kind)):
                self._grow(one, now)
        self._enlist()

    def board(self, now: int) -> Board:
        """The board at a time, newest activity first."""
        self._registry.check()
        self._enlist()
        self._owners.follow()
        self._drop_forgotten()
        midnight = self._watching.midnight(now)
        rows: list[tuple[int, BoardRow]] = []
        spent: dict[Name, BoardSpend] = {}
        for name, session in list(self._sessions.items()):
            row, last = session.row(now, midnight), session.last_activity()
            if session.live is not None:
                spent[name] = row.today
            if self._stays(session, row, last, now):
                rows.append((last, row))
            elif now - last >= self._reach:
                self._dismiss(name, midnight, row.today)
        rows.sort(key=lambda found: (-found[0], found[1].session.id, found[1].session.project_id))
        today, limits = self._today(spent, midnight, now), paces(self._watching.quota(), now)
        return Board(
            at=now,
            rows=tuple(row for _, row in rows),
            today=today,
            alerts=tuple(self._day_alerts(today, limits, midnight, now)),
            quota=_quota_status(limits),
        )

    def _drop_forgotten(self) -> None:
        for known in (self._sessions, self._left):
            for name in forgotten_names(self._roots, known):
                del known[name]

    @property
    def _reach(self) -> int:
        return int(self._watching.hours * _HOUR)

    def _begin(self, now: int) -> None:
        """Read the sessions that were active recently."""
        since = (now - self._reach) * 1_000_000
        mains: dict[Name, TranscriptFile] = {}
        logs: dict[Name, list[TranscriptFile]] = {}
        alive = {id for id, one in self._registry.sessions().items() if one.alive}
        lively: set[Name] = set()
        for root in self._roots:
            for file in transcript_files(root):
                if file.session_id:
                    name = file.project_id, file.session_id
                    if file.kind == "main":
                        mains[name] = file
                    elif file.kind == "hook_log":
                        logs.setdefault(name, []).append(file)
                    if file.mtime_ns >= since or file.session_id in alive:
                        lively.add(name)
        for name in lively:
            self._take_up(name, mains.get(name), logs.get(name, ()))
        self._hear(self._tail.spool(self._watching.spool, since), now)
        self._enlist()

    def _take_up(
        self, name: Name, main: TranscriptFile | None, logs: Iterable[TranscriptFile]
    ) -> None:
        """Put a session on the board, with its transcripts and event logs."""
        project_id, id = name
        session = self._sessions[name] = BoardSession(id, project_id, self._terms)
        self._follow(session, main)
        for file in logs:
            for event in self._tail.log(file.path, id):
                session.hear(event)

    def _follow(self, session: BoardSession, main: TranscriptFile | None = None) -> None:
        """Read a session from its files, or from the archive."""
        file = main or place_of(self._roots, session.project_id, session.id)
        try:
            session.follow(self._opened(file, session) if file else None)
        except UnspoolError:
            session.follow(None)  # there is nothing to read, or it is closed to us

    def _opened(self, file: TranscriptFile, session: BoardSession) -> LiveSession:
        listener = session.listener if self._watching.rules else None
        if self._open_session is not None:
            live = self._open_session(file)
            if listener is not None:
                live.attach(listener)
            return live
        store = self._owners.store
        archive = ArchivedSessions(Archive(store), self._roots) if store else None
        return LiveSession(file, self._setting, archive, views=Views.USAGE, listener=listener)

    def _grow(self, one: WatchEvent, now: int) -> None:
        name = one.project_id, one.session_id or ""
        session = self._sessions.get(name)
        if session is None:
            self._summon(name)
        elif session.live is None or (one.kind == "main" and not session.live.is_on_disk):
            self._follow(session)
        else:
            session.read(one.path, now)

    def _summon(self, name: Name) -> None:
        """Put a session on the board that was not there."""
        place = place_of(self._roots, *name)
        directory = os.path.dirname(place.path) if place else ""
        found = session_files(place.root, directory, name[1]) if place else SessionFiles()
        self._take_up(name, found.main or place, found.hook_logs)

    def _hear(self, events: Iterable[HookEvent], now: int, home: str | None = None) -> None:
        """Read hook events; `home` is their project, if the place of their file tells."""
        for event in sorted(events, key=lambda event: millis(event.timestamp) or 0):
            at = millis(event.timestamp) or 0
            name = self._named(event, home) if now - at < self._reach else None
            if name is not None and not is_forgotten_in(self._roots, *name):
                if name not in self._sessions:
                    self._summon(name)
                self._sessions[name].hear(event)

    def _named(self, event: HookEvent, home: str | None) -> Name | None:
        """The session of an event; without a project it is the newest session with that id."""
        id, (transcript, cwd) = event.session_id, whereabouts(event.data)
        if home is None and transcript:
            home = project_of(transcript, "", self._roots)
        known = (home, id) if home is not None else self._newest(id)
        if known is not None or transcript or not id:
            return known if id else None
        guess = project_of("", cwd, self._roots)
        return None if guess is None else (guess, id)

    def _newest(self, id: str) -> Name | None:
        mine = [name for name in self._sessions if name[1] == id]
        return max(mine, key=lambda name: self._sessions[name].last_activity(), default=None)

    def _enlist(self) -> None:
        """Give each session its registry entry; a session known only there is put on the board."""
        for id, found in self._registry.sessions().items():
            name = registry_project(found, self._roots), id
            name = name if name in self._sessions else self._newest(id) or name
            if name not in self._sessions and found.alive:
                self._summon(name)
            if name in self._sessions:
                session = self._sessions[name]
                session.registered = _still(found, session)

    def _lose(self, one: WatchEvent, now: int) -> None:
        self._tail.forget(one.path)
        name = one.project_id, one.session_id or ""
        session = self._sessions.get(name)
        if session is None or one.kind != "main":
            return
        midnight = self._watching.midnight(now)
        spent = session.row(now, midnight).today
        self._follow(session)
        if session.live is None:
            self._dismiss(name, midnight, spent)

    def _stays(self, session: BoardSession, row: BoardRow, last: int, now: int) -> bool:
        if row.session.status.state == "ended":
            ended = millis(row.session.status.since) or last
            return now - max(ended, last) < _FAREWELL
        return session.lives or (session.is_worth_reading and now - last < self._reach)

    def _dismiss(self, name: Name, midnight: int, spent: BoardSpend) -> None:
        session = self._sessions.pop(name)
        if self._newest(session.id) is None:
            self._registry.forget(session.id)
        self._left[name] = midnight, spent

    def _today(self, spent: Mapping[Name, BoardSpend], midnight: int, now: int) -> BoardSpend:
        """Today's spend: from the lines of these sessions, and from the ledger for all others."""
        ledger = self._watching.elsewhere
        if ledger is not None and now - self._others[0] >= _ASK_AGAIN:
            self._others = now, ledger(midnight)
        self._left = {name: left for name, left in self._left.items() if left[0] == midnight}
        known = {name: used for name, (_, used) in self._left.items()}
        every = {**known, **self._others[1], **spent}
        for name in forgotten_names(self._roots, every):
            del every[name]
        return _added(every.values())

    def _day_alerts(
        self, today: BoardSpend, limits: Sequence[QuotaPace], midnight: int, now: int
    ) -> list[Alert]:
        day = (iso(midnight + 12 * _HOUR) or "")[:10]
        money = pico(today.cost_usd or 0)
        rules = self._watching.rules
        found = chain(
            thresholds(rules, "day", day, today.tokens, money, now), quota_alerts(rules, limits)
        )
        still = [one for one in self._alerts if one.at is None or one.at >= midnight]
        self._alerts = [*still, *self._deduplicator.new(found)]
        return self._alerts


def _quota_status(limits: Iterable[QuotaPace]) -> QuotaStatus:
    known = {one.window: one for one in limits}
    five, seven = known.get("5h"), known.get("7d")
    pace = QuotaSpeed(five and five.pace, seven and seven.pace) if known else None
    return QuotaStatus(_quota_span(five), _quota_span(seven), pace)


def _quota_span(limit: QuotaPace | None) -> QuotaSpan | None:
    if limit is None:
        return None
    elapsed = round(limit.elapsed, 1)
    return QuotaSpan(limit.used, elapsed, iso(limit.resets_at), iso(limit.at))


def _still(found: RegisteredProcess, session: BoardSession) -> RegisteredProcess | None:
    """A deleted entry means that the session ended, unless it wrote more afterwards."""
    gone = found.gone_at
    return None if gone is not None and session.wrote_at() > gone else found


def _added(used: Iterable[BoardSpend]) -> BoardSpend:
    tokens = money = 0
    unpriced: set[str] = set()
    for one in used:
        tokens += one.tokens
        money += pico(one.cost_usd or 0)
        unpriced.update(one.unpriced)
    cost = None if unpriced and not money else usd(money)
    return BoardSpend(tokens=tokens, cost_usd=cost, unpriced=tuple(sorted(unpriced)))
