"""Roots -> the live board now, and again whenever something has changed."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from math import inf
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final

from msgspec import Struct, structs

from unspool.derive.usage.reports import sum_spend
from unspool.engine.board.board import LiveBoard, OpenSession
from unspool.engine.dates import start_of_today
from unspool.engine.quota import latest_quota
from unspool.engine.sessions.indexed_roots import IndexedRoots
from unspool.engine.sessions.marks import apply_marks
from unspool.engine.sessions.options import BoardOptions, Elsewhere
from unspool.engine.sessions.ownership import Owners
from unspool.engine.stores import Stores
from unspool.errors import StoreError
from unspool.model.alerts import AlertRule
from unspool.model.files import WatchEvent
from unspool.model.prices import PriceTable
from unspool.model.session import Board, BoardSpend
from unspool.model.usage import TotalRow
from unspool.source.watch import Watcher
from unspool.store.sqlite.ledger_reader import LedgerReader

_SOONEST: Final = 0.1  # seconds between two boards
_BUSY_MS: Final = 50
_IDLE: Final = 2.0  # how soon it shows that a process is gone, or that time has passed
# Deleting one of these ends something: the time counts. Of other files only the content does.
_URGENT: Final = frozenset({"registry", "spool", "hook_log"})


def _silent(_: str) -> None:
    """Ignore the watcher's messages: the indexer reports the same."""


class BoardQuery(Struct, frozen=True):
    """Whose board it is, and what it looks at."""

    stores: Stores
    prices: PriceTable
    watching: BoardOptions
    say: Callable[[str], object]


def board_query(
    stores: Stores, rules: Sequence[AlertRule] = (), say: Callable[[str], object] | None = None
) -> BoardQuery:
    """The board of some roots; `say` is told what goes wrong while it is watched."""
    watching = BoardOptions(
        spool=stores.spool,
        midnight=start_of_today,
        elsewhere=_ledger(stores),
        rules=rules,
        quota=partial(latest_quota, str(stores.home)),
        recent_quota=stores.recent_quota,
    )
    return BoardQuery(stores, stores.prices(), watching, say or stores.machine.warn)


def current_board(query: BoardQuery) -> Board:
    """The board now."""
    at = query.stores.machine.now()
    with _open_board(query, at) as live:
        return _shown(live.board(at), query.stores)


@contextmanager
def _open_board(query: BoardQuery, now: int) -> Iterator[LiveBoard]:
    owners = query.stores.owners()
    options = structs.replace(query.watching, owners=owners)
    try:
        yield LiveBoard(query.stores.roots, query.prices, options, now=now)
    finally:
        if owners.store is not None:
            owners.store.close()


def boards(
    query: BoardQuery, stop: Event, tell: Callable[[Board], object] | None = None
) -> Iterator[Board]:
    """The board now, and each time it may have changed, until `stop` is set.

    `tell` gets each changed board first, with the sessions that are hidden.
    """
    stores, now = query.stores, query.stores.machine.now
    with (
        Watcher(stores.roots, query.watching.spool, say=query.say) as watcher,
        _open_board(query, now()) as live,
    ):
        yield _shown(live.board(now()), stores)
        for batch in watcher.batches(stop, idle=_IDLE):
            live.look(batch, now())
            board = live.board(now())
            if tell is not None:
                tell(board)
            yield _shown(board, stores)
            stop.wait(_SOONEST)


class SharedBoard:
    """The board of a server: a thread keeps it up to date from the first request on.

    `tell` gets each changed board first, with the sessions that are hidden.
    """

    def __init__(
        self,
        source: IndexedRoots,
        open_session: OpenSession,
        tell: Callable[[Board], object] | None = None,
    ) -> None:
        self._source = source
        self._open_session = open_session
        self._tell = tell
        self._lock = Lock()
        self._stop, self._is_stale = Event(), False
        self._live: LiveBoard | None = None
        self._thread: Thread | None = None
        self._pending: dict[str, WatchEvent] = {}
        self.changed_at = -inf  # monotonic seconds: when a change of a file was last noticed

    def current(self) -> Board:
        """The board now."""
        source = self._source
        return apply_marks(self._whole(), source.store.marks.all(), source.groups.current())

    def _whole(self) -> Board:
        """The board now, also of sessions that are hidden."""
        with self._lock:
            if self._is_stale:
                self._stop.set()
                self._live, self._stop, self._is_stale = None, Event(), False
            live, now = self._live or self._start(), self._source.now()
            if self._pending:
                live.look(self._pending.values(), now)
                self._pending.clear()
            return live.board(now)

    def _start(self) -> LiveBoard:
        source = self._source
        watcher = Watcher(source.roots, source.spool, say=_silent)
        watcher.__enter__()  # before the board, so that no change is missed
        owners = Owners(source.roots, source.store)
        watching = structs.replace(source.watching, owners=owners)
        self._live = LiveBoard(
            source.roots,
            source.prices,
            watching,
            now=source.now(),
            open_session=self._open_session,
        )
        args = watcher, self._stop
        self._thread = Thread(target=self._follow, args=args, name="board", daemon=True)
        self._thread.start()
        return self._live

    def _follow(self, watcher: Watcher, stop: Event) -> None:
        try:
            for batch in watcher.batches(stop, idle=_IDLE):
                with self._lock:
                    self._note(batch)
                if self._tell is not None and not stop.is_set():
                    self._tell(self._whole())
                stop.wait(_SOONEST)
        finally:
            watcher.__exit__()

    def _note(self, batch: Iterable[WatchEvent]) -> None:
        """Read what cannot wait; the rest is read on the next request."""
        urgent = []
        for one in batch:
            self.changed_at = monotonic()
            self._pending.pop(one.path, None)
            if one.gone or one.kind in _URGENT:
                urgent.append(one)
            else:
                self._pending[one.path] = one
        if self._live is not None and urgent:
            self._live.look(urgent, self._source.now())

    def restart(self) -> None:
        """Start over with the next request; does not block."""
        self._is_stale = True

    def begin(self) -> None:
        """Keep it up to date before anybody asks, if somebody is told."""
        if self._tell is not None:
            Thread(target=self._whole, name="first board", daemon=True).start()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2.0)


def _shown(board: Board, stores: Stores) -> Board:
    return apply_marks(board, stores.marks().all(), stores.groups.current())


def _ledger(stores: Stores) -> Elsewhere | None:
    """What the index has of sessions that are not on the board; None without an index."""
    source = stores.usage_source()
    if not os.path.exists(source.index):
        return None
    is_about = source.is_about()
    return lambda since: spent_since(source.index, since, is_about)


def spent_since(
    path: str, since: int, is_about: Callable[[str], bool] = lambda _: True
) -> Mapping[tuple[str, str], BoardSpend]:
    """What each session of some projects used since a moment, by the sums in an index."""
    try:
        with closing(LedgerReader(path, _BUSY_MS)) as ledger:
            found = ledger.totals_of("", since)
            return _by_session([total for total in found if is_about(str(total[1]))])
    except StoreError:
        return {}  # busy for now: it is asked again


def _by_session(totals: Sequence[TotalRow]) -> dict[tuple[str, str], BoardSpend]:
    groups: dict[tuple[str, str], list[TotalRow]] = {}
    for total in totals:
        groups.setdefault((str(total[1]), str(total[2])), []).append(total)
    found: dict[tuple[str, str], BoardSpend] = {}
    for name, group in groups.items():
        spend = sum_spend(total[5:] for total in group)
        models = {str(total[4]) for total in group if total[11]}
        found[name] = BoardSpend(
            tokens=spend.tokens, cost_usd=spend.usd, unpriced=tuple(sorted(models))
        )
    return found
