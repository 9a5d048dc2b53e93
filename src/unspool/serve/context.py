"""What routes use: the engine's parts for one server, from any thread."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from sys import getsizeof
from threading import BoundedSemaphore, Lock
from typing import Final

from markupsafe import Markup

from unspool.engine.board.feed import SharedBoard
from unspool.engine.health import HealthMonitor, HealthSources
from unspool.engine.insights import ActivityCache, InsightCache
from unspool.engine.search.full_text import ReadText, SearchPool
from unspool.engine.sessions.index_scope import IndexScope
from unspool.engine.sessions.indexed_roots import IndexedRoots
from unspool.engine.sessions.lines import LineLookup, RevealLog
from unspool.engine.sessions.projects import ProjectList
from unspool.engine.sessions.session_cache import SessionCache
from unspool.engine.sessions.session_list import SessionList
from unspool.engine.usage.spending import RecentSpendCache
from unspool.model.health import Finding, IndexStatus
from unspool.redact import Redactor
from unspool.serve.cache import ByteLru, ResponseCache
from unspool.show.charts.lanes import LaneCache
from unspool.show.charts.spool import SpoolCache
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
    inbox: Path | None = None  # where posted events go, if not to `spool`


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
        """Look, and drop all caches if need be; whether there was need. Two looks at the disk."""
        with self._lock:
            state = self._look()
            if state == self._state:
                return False
            self._state = state
            for drop in self._drops:
                drop()
            return True

    def _look(self) -> tuple[object, ...]:
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
        self.rendered = ByteLru[Markup](_RENDERED, getsizeof)
        self.export_slots = BoundedSemaphore(_EXPORTS)
        self.reveals = RevealLog(config.home, config.now)
        self.scope = IndexScope(config.store, config.roots, config.home)
        self.lines = LineLookup(config.store, config.roots, self.scope)
        self.open_sessions = SessionCache(config, self.scope)
        self.sessions = SessionList(config)
        self.projects = ProjectList(config.store, self.scope, config.groups)
        self.recent_spend = RecentSpendCache(config.store, self.scope, config.now)
        self.insights = InsightCache(config.store, self.scope, config.prices)
        self.activity = ActivityCache(config.store)
        self.spools, self.lanes = SpoolCache(), LaneCache()
        self.renewal = Renewal(config)
        paths = [root.path for root in config.roots]
        self.search = SearchPool(config.search_store, config.redactor, paths)
        self.board = SharedBoard(config, self.open_sessions.for_board)
        self.health = HealthMonitor(
            HealthSources(
                store=config.store,
                home=config.home,
                now=config.now,
                index=config.index,
                findings=config.checks,
                is_demo=bool(config.demo),
            )
        )

        self.renewal.add(
            self.responses.clear,
            self.rendered.clear,
            self.open_sessions.clear,
            self.insights.clear,
            self.board.restart,
        )

    def forgotten(self) -> int:
        """How many sessions were forgotten, whose figures are nowhere."""
        return count_forgotten(self.config.roots)

    def close(self) -> None:
        """Close the index."""
        self.health.close()
        self.board.close()
        self.search.close()
        self.store.close()
