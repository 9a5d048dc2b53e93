"""What routes use: the engine's parts for one server, from any thread."""

import os
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Final

from unspool.engine.board.feed import SharedBoard
from unspool.engine.board.remote import BoardRows, RemoteBoard
from unspool.engine.edits import EditHistory
from unspool.engine.health import HealthMonitor, HealthSources, StoredIndexStatus
from unspool.engine.insights import ActivityCache, InsightCache
from unspool.engine.quota import latest_quota
from unspool.engine.search.full_text import ReadText, SearchPool
from unspool.engine.sessions.index_scope import IndexScope
from unspool.engine.sessions.indexed_roots import IndexedRoots
from unspool.engine.sessions.lines import LineLookup, RevealLog, RevealNotes
from unspool.engine.sessions.project_groups import StoredProjectGroups
from unspool.engine.sessions.projects import ProjectList
from unspool.engine.sessions.session_cache import SessionCache
from unspool.engine.sessions.session_list import SessionList
from unspool.engine.usage.spending import RecentSpendCache
from unspool.model.files import Root
from unspool.model.health import Finding, IndexStatus
from unspool.model.prices import PriceTable
from unspool.model.session import Board
from unspool.model.usage import Quota
from unspool.redact import Redactor
from unspool.serve.cache import ByteLru, ResponseCache
from unspool.serve.fleet import Fleet
from unspool.show.board_view import SlotOrder
from unspool.show.charts.lanes import LaneCache
from unspool.show.charts.spool import SpoolCache
from unspool.show.html.shell import TourLink
from unspool.source.forgotten import count_forgotten, log_stamp
from unspool.store import Store

_INDEX: Final = "index.db"
_RENDERED: Final = 8 * 1024 * 1024
_EXPORTS: Final = 2  # at a time


class ServerConfig(IndexedRoots, frozen=True, kw_only=True):
    """What a server is started with."""

    # Opens the index again, with a function that reads the text of a line.
    search_store: Callable[[ReadText], Store]
    index: Callable[[], IndexStatus]
    redactor: Redactor
    checks: Callable[[], Sequence[Finding]] = tuple  # the findings of `unspool doctor`
    demo: str = ""  # a note for every page, if the sessions are made up
    tour: tuple[TourLink, ...] = ()
    inbox: Path | None = None  # where posted events go, if not to `spool`
    tell: Callable[[Board], object] | None = None  # gets each board as it changes
    # Without files: what machines say of their sessions; who calls when there may be something
    # new, and returns what ends that; where it is noted which lines were revealed.
    board_rows: BoardRows = tuple
    fleet: Fleet | None = None  # None: a server of one machine
    listen: Callable[[Callable[[], None]], Callable[[], None]] | None = None
    reveals: RevealNotes | None = None
    edition: Callable[[], Hashable] = int  # another value once sessions were erased


def remote_config(
    store: Store, roots: Sequence[Root], prices: PriceTable, *, home: Path, now: Callable[[], int]
) -> ServerConfig:
    """A server of a store that other machines fill: it opens no file of a session.

    `roots` are those of `remote_root`, and may grow meanwhile. Replace what else is needed.
    """
    return ServerConfig(
        home=home,
        roots=roots,
        has_files=False,
        prices=prices,
        store=store,
        search_store=lambda _: store,
        now=now,
        groups=StoredProjectGroups(store),
        index=StoredIndexStatus(store, now),
        redactor=Redactor(),
    )


class Renewal:
    """Has caches dropped when sessions were forgotten, or the index was replaced by another."""

    def __init__(self, config: ServerConfig) -> None:
        self._config, self._lock = config, Lock()
        self._drops: list[Callable[[], object]] = []
        self._state = self._look()

    def add(self, *drops: Callable[[], object]) -> None:
        """Add what drops a cache."""
        self._drops += drops

    def check(self) -> bool:
        """Look, and drop all caches if need be; whether there was need.

        Two looks at the disk; without files, what the hub last heard.
        """
        with self._lock:
            state = self._look()
            if state == self._state:
                return False
            self._state = state
            for drop in self._drops:
                drop()
            return True

    def _look(self) -> tuple[object, ...]:
        if not self._config.has_files:
            return (self._config.edition(),)
        try:
            index = os.stat(self._config.home / _INDEX).st_ino
        except OSError:
            index = 0
        return index, {log_stamp(root.tombstones) for root in self._config.roots}


class ServerContext:
    """Reads only: another process writes the index."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.store, self.redactor, self.now = config.store, config.redactor, config.now
        self.marks = config.store.marks
        self.responses = ResponseCache(config.redactor)
        # In UTF-8: with one emoji in it a string is four times as large.
        self.rendered = ByteLru[bytes](_RENDERED)
        self.export_slots = BoundedSemaphore(_EXPORTS)
        self.reveals = config.reveals or RevealLog(config.home, config.now)
        self.scope = IndexScope(config.store, config.roots, config.home)
        self.lines = LineLookup(config.store, self.scope)
        self.open_sessions = SessionCache(config, self.scope)
        self.sessions = SessionList(config)
        self.projects = ProjectList(config, self.scope)
        self.recent_spend = RecentSpendCache(config.store, self.scope, config.now)
        self.insights = InsightCache(config.store, self.scope, config.prices)
        self.activity = ActivityCache(config.store)
        self.spools, self.lanes, self.slots = SpoolCache(), LaneCache(), SlotOrder()
        self.renewal = Renewal(config)
        # A store that machines fill has nothing that may not be seen.
        paths = [root.path for root in config.roots] if config.has_files else []
        self.search = SearchPool(config.search_store, config.redactor, paths)
        self.edits = EditHistory(config.store, config.redactor, paths)
        self.board: SharedBoard | RemoteBoard
        if config.has_files:
            self.board = SharedBoard(config, self.open_sessions.for_board, config.tell)
            self.board.begin()
        else:
            self.board = RemoteBoard(config, config.board_rows)
        self.health = HealthMonitor(
            HealthSources(
                store=config.store,
                home=config.home,
                now=config.now,
                index=config.index,
                findings=config.checks,
                is_demo=bool(config.demo),
                is_shared=config.fleet is not None,
            )
        )

        self.renewal.add(
            self.responses.clear,
            self.rendered.clear,
            self.open_sessions.clear,
            self.projects.clear,
            self.insights.clear,
            self.activity.clear,
            self.board.restart,
        )

    def forgotten(self) -> int:
        """How many sessions were forgotten, whose figures are nowhere."""
        return count_forgotten(self.config.roots)

    def quota(self) -> Quota | None:
        """Usage limits of whoever works on this machine; a hub knows nobody's."""
        return latest_quota(str(self.config.home)) if self.config.has_files else None

    def note(self, what: str, about: str, address: str) -> None:
        """Have a hub write down what somebody did; on one's own machine nobody needs to."""
        if self.config.fleet is not None:
            self.config.fleet.note(what, about, address)

    def close(self) -> None:
        """Close the index."""
        self.health.close()
        self.board.close()
        self.search.close()
        self.store.close()
