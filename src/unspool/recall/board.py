"""What a watcher tells -> the live board: every session at work, kept in step with the disk."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from unspool.derive.alerts.session import Once as Told
from unspool.derive.alerts.session import thresholds
from unspool.derive.money.cost import pico, usd
from unspool.derive.money.pricer import Pricer
from unspool.derive.reading.clock import iso, millis
from unspool.derive.row_facts import whereabouts
from unspool.model.alerts import Alert
from unspool.model.board import Board, BoardRow, Spend
from unspool.model.files import Root, TranscriptFile
from unspool.model.hooks import HookEvent
from unspool.model.prices import PriceTable
from unspool.model.watch import Changed
from unspool.recall.announced import home_of, project_of
from unspool.recall.hooks import HookTail, Once
from unspool.recall.registered import Registered, Registry
from unspool.recall.seat import Seat, Terms
from unspool.recall.setting import Watching
from unspool.source.files import is_agent
from unspool.source.session_files import session_files, transcript_files

_HOUR: Final = 3_600_000
_FAREWELL: Final = _HOUR  # how long one that has ended stays on the board
_ASK_AGAIN: Final = 15_000  # how long the ledger's word on the others is good


class LiveBoard:
    """Start a watcher, then this; give it what the watcher tells and ask how things stand."""

    def __init__(
        self, roots: Sequence[Root], prices: PriceTable, watching: Watching, *, now: int
    ) -> None:
        self._roots = roots
        self._watching = watching
        self._terms = Terms(Pricer(prices), watching.rules, watching.told, now)
        self._seats: dict[str, Seat] = {}
        self._tail = HookTail()
        self._once = Once()
        self._told = Told(watching.told)
        self._alerts: list[Alert] = []
        self._others: tuple[int, Mapping[tuple[str, str], Spend]] = (0, {})
        self._left: dict[tuple[str, str], tuple[int, Spend]] = {}
        self._registry = Registry(roots)
        self._begin(now)

    def look(self, changed: Iterable[Changed], now: int) -> None:
        """Take in what has changed, and nothing else."""
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
                self._grow(one)
        self._enlist()

    def board(self, now: int) -> Board:
        """How things stand at a moment, newest activity first."""
        self._registry.check()
        self._enlist()
        midnight = self._watching.midnight(now)
        rows: list[tuple[int, BoardRow]] = []
        spent: dict[tuple[str, str], Spend] = {}
        for id, seat in list(self._seats.items()):
            row, last = seat.row(now, midnight), seat.last_activity()
            spent[seat.project_id, id] = row.today
            if self._stays(seat, row, last, now):
                rows.append((last, row))
            elif now - last >= self._reach:
                self._dismiss(id, midnight)
        rows.sort(key=lambda found: (-found[0], found[1].session.id))
        today = self._today(spent, midnight, now)
        return Board(
            at=now,
            rows=tuple(row for _, row in rows),
            today=today,
            alerts=tuple(self._day_alerts(today, midnight, now)),
        )

    @property
    def _reach(self) -> int:
        return int(self._watching.hours * _HOUR)

    def _begin(self, now: int) -> None:
        """Take in what is there: sessions that were lately at work, with all their files."""
        since = (now - self._reach) * 1_000_000
        files: dict[str, list[TranscriptFile]] = {}
        lively = {id for id, one in self._registry.sessions().items() if one.alive}
        for root in self._roots:
            for file in transcript_files(root):
                if file.session_id:
                    files.setdefault(file.session_id, []).append(file)
                    if file.mtime_ns >= since:
                        lively.add(file.session_id)
        for id in lively & files.keys():
            self._gather(id, files[id])
        self._hear(self._tail.spool(self._watching.spool, since), now)
        self._enlist()

    def _gather(self, id: str, files: Iterable[TranscriptFile]) -> None:
        """Read all that a session left; of two mains the one written last is it."""
        seat, events = self._seat(id), list[HookEvent]()
        for file in sorted(files, key=lambda file: file.mtime_ns):
            if file.kind == "main":
                seat.read(file.path, file.project_id)
            elif is_agent(file.kind):
                seat.read_agent(file.path)
            elif file.kind == "hook_log":
                events += self._tail.log(file.path, id)
        for event in sorted(events, key=lambda event: millis(event.timestamp) or 0):
            if self._once.is_new(event):
                seat.hear(event)

    def _seat(self, id: str, project_id: str = "") -> Seat:
        if id not in self._seats:
            self._seats[id] = Seat(id, project_id, self._terms)
        return self._seats[id]

    def _grow(self, one: Changed) -> None:
        id = one.session_id or ""
        if id not in self._seats:
            self._summon(id, one.project_id)
        elif one.kind == "main":
            self._seats[id].read(one.path, one.project_id)
        else:
            self._seats[id].read_agent(one.path)

    def _summon(self, id: str, project_id: str) -> None:
        """Take up a session that was not on the board, with all it has of a transcript."""
        self._seat(id, project_id)
        for root in self._roots:
            name = project_id.removeprefix(root.prefix)
            if not name or os.sep in name or root.only not in (None, name):
                continue
            found = session_files(root, os.path.join(root.projects, name), id)
            mains = [found.main] if found.main else []
            self._gather(id, [*mains, *found.subagents, *found.hook_logs])

    def _hear(self, events: Iterable[HookEvent], now: int, home: str | None = None) -> None:
        """Take in events; `home` is the project of their session, where their place says so."""
        for event in sorted(events, key=lambda event: millis(event.timestamp) or 0):
            at = millis(event.timestamp) or 0
            if not event.session_id or now - at >= self._reach or not self._once.is_new(event):
                continue
            if event.session_id not in self._seats:
                project = home or project_of(*whereabouts(event.data), self._roots)
                if project is None:
                    continue
                self._summon(event.session_id, project)
            self._seats[event.session_id].hear(event)

    def _enlist(self) -> None:
        """Give each session its place in the registry; one known only there comes to be."""
        for id, found in self._registry.sessions().items():
            if id not in self._seats and found.alive:
                self._summon(id, home_of(found, self._roots))
            if id in self._seats:
                self._seats[id].enlist(_still(found, self._seats[id]))

    def _lose(self, one: Changed, now: int) -> None:
        self._tail.forget(one.path)
        seat = self._seats.get(one.session_id or "")
        if seat is not None and seat.main is not None and seat.main.path == one.path:
            self._dismiss(seat.id, self._watching.midnight(now))

    def _stays(self, seat: Seat, row: BoardRow, last: int, now: int) -> bool:
        if row.session.status.state == "ended":
            ended = millis(row.session.status.since) or last
            return now - max(ended, last) < _FAREWELL
        return seat.lives or (seat.is_worth_reading and now - last < self._reach)

    def _dismiss(self, id: str, midnight: int) -> None:
        seat = self._seats.pop(id)
        self._registry.forget(id)
        self._left[seat.project_id, id] = midnight, seat.today(midnight)

    def _today(self, spent: Mapping[tuple[str, str], Spend], midnight: int, now: int) -> Spend:
        """All of today: by the sessions' own lines, and for the others by the ledger."""
        ledger = self._watching.elsewhere
        if ledger is not None and now - self._others[0] >= _ASK_AGAIN:
            self._others = now, ledger(midnight)
        self._left = {name: left for name, left in self._left.items() if left[0] == midnight}
        known = {name: used for name, (_, used) in self._left.items()}
        return _added({**known, **self._others[1], **spent}.values())

    def _day_alerts(self, today: Spend, midnight: int, now: int) -> list[Alert]:
        day = (iso(midnight + 12 * _HOUR) or "")[:10]
        money = pico(today.cost_usd or 0)
        found = thresholds(self._watching.rules, "day", day, today.tokens, money, now)
        still = [one for one in self._alerts if one.at is None or one.at >= midnight]
        self._alerts = [*still, *self._told.new(found)]
        return self._alerts


def _still(found: Registered, seat: Seat) -> Registered | None:
    """What was taken out of the registry has ended, unless the session went on without it."""
    gone = found.gone_at
    return None if gone is not None and seat.wrote_at() > gone else found


def _added(used: Iterable[Spend]) -> Spend:
    tokens = money = 0
    unpriced: set[str] = set()
    for one in used:
        tokens += one.tokens
        money += pico(one.cost_usd or 0)
        unpriced.update(one.unpriced)
    cost = None if unpriced and not money else usd(money)
    return Spend(tokens=tokens, cost_usd=cost, unpriced=tuple(sorted(unpriced)))
