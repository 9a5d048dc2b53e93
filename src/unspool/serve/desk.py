"""The desk: everything a route may ask, from any thread; its parts are in `desks`."""

from sys import getsizeof
from threading import BoundedSemaphore
from typing import Final

from markupsafe import Markup

from unspool.engine.health import HealthMonitor, HealthSources
from unspool.engine.index_scope import IndexScope
from unspool.engine.insights import ActivityCache, InsightCache
from unspool.engine.lines import LineLookup, RevealLog
from unspool.engine.projects import ProjectList
from unspool.engine.search.full_text import SearchPool
from unspool.serve.cache import ByteLru, ResponseCache
from unspool.serve.desks.around import Around
from unspool.serve.desks.boards import Boards
from unspool.serve.desks.pulse import Pulses
from unspool.serve.desks.reading import Reading
from unspool.serve.desks.sessions import SessionList
from unspool.serve.desks.shelf import Shelf

_RENDERED: Final = 8 * 1024 * 1024
_EXPORTS: Final = 2  # at a time


class Desk:
    """Reads only: another process writes the index."""

    def __init__(self, around: Around) -> None:
        self.around = around
        self.responses = ResponseCache(around.redactor)
        self.rendered = ByteLru[Markup](_RENDERED, getsizeof)
        store, roots = around.store, around.roots
        self.marks = store.marks
        self.scope = IndexScope(store, roots, around.home)
        self.lines = LineLookup(store, roots, self.scope)
        self.reveals = RevealLog(around.home, around.now)
        self.shelf = Shelf(around, self.scope)
        self.reading = Reading(around, self.lines)
        self.export_slots = BoundedSemaphore(_EXPORTS)
        self.sessions = SessionList(around)
        self.projects = ProjectList(store, self.scope)
        self.pulses = Pulses(around, self.scope)
        self.insights = InsightCache(store, self.scope, around.prices)
        self.activity = ActivityCache(store)
        paths = [root.path for root in roots]
        self.search = SearchPool(around.search_store, around.redactor, paths)
        self.boards = Boards(around, self.shelf.for_board)
        self.health = HealthMonitor(
            HealthSources(
                store=store,
                home=around.home,
                now=around.now,
                index=around.index,
                findings=around.checks,
                is_demo=bool(around.demo),
            )
        )

    def close(self) -> None:
        """Close the index."""
        self.health.close()
        self.boards.close()
        self.search.close()
        self.around.store.close()
