"""The desk: everything a route may ask, from any thread; its parts are in `desks`."""

from sys import getsizeof
from typing import Final

from markupsafe import Markup

from unspool.model.health import Finding, IndexStatus
from unspool.serve.answers import Health
from unspool.serve.cache import ByteLru, ResponseCache
from unspool.serve.desks.around import Around
from unspool.serve.desks.boards import Boards
from unspool.serve.desks.costs import Costs
from unspool.serve.desks.exports import Exports
from unspool.serve.desks.health import Checkup
from unspool.serve.desks.insights import Insights
from unspool.serve.desks.lines import LineLookup
from unspool.serve.desks.ours import Ours
from unspool.serve.desks.projects import ProjectList
from unspool.serve.desks.pulse import Pulses
from unspool.serve.desks.reading import Reading
from unspool.serve.desks.search import Searches
from unspool.serve.desks.sessions import SessionList
from unspool.serve.desks.shelf import Shelf
from unspool.serve.desks.strips import Strips
from unspool.show.charts.spool import SpoolCache

_SECONDS: Final = 5_000
_RENDERED: Final = 8 * 1024 * 1024


class Desk:
    """Reads only: another process writes the index."""

    def __init__(self, around: Around) -> None:
        self.around = around
        self.responses = ResponseCache(around.redactor)
        self.rendered = ByteLru[Markup](_RENDERED, getsizeof)
        self.ours = Ours(around)
        self.marks = around.store.marks
        self.lines = LineLookup(around, self.ours)
        self.shelf = Shelf(around, self.ours)
        self.reading = Reading(around, self.lines)
        self.exports = Exports(around, self.shelf)
        self.sessions = SessionList(around)
        self.projects = ProjectList(around, self.ours)
        self.costs = Costs(around, self.ours)
        self.pulses = Pulses(around, self.ours)
        self.insights = Insights(around, self.ours)
        self.strips = Strips(around)
        self.spools = SpoolCache()
        self.searches = Searches(around)
        self.boards = Boards(around, self.shelf.for_board)
        self._checkup = Checkup(around)

    def index(self) -> IndexStatus:
        """How the index stands, as of a second ago."""
        return self._checkup.index()

    def progress(self) -> IndexStatus:
        """The same, as of some seconds ago: cheap enough for a page that is fetched often."""
        return self._checkup.index(_SECONDS)

    def findings(self) -> tuple[Finding, ...]:
        """What is odd here, and the command that puts it right."""
        return self._checkup.findings()

    def health(self) -> Health:
        """Whether all is well."""
        return self._checkup.health()

    def close(self) -> None:
        """Let go of the index."""
        self._checkup.close()
        self.boards.close()
        self.searches.close()
        self.around.store.close()
