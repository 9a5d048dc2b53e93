"""Where the dollars of some time went, and how its tools did."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Final, TypeVar, cast

from msgspec import Struct

from unspool.derive.insights import InsightFacts, causes, costs_by_call, loops, tool_counts
from unspool.model.insights import Causes, Loop, ToolCount
from unspool.serve.desks.around import Around
from unspool.serve.desks.ours import Ours

T = TypeVar("T")

# Looking at a year takes as long as it is: it must not be all there is time for.
_REST: Final = 10.0
_FRESH_SECONDS: Final = 5.0
_MOST: Final = 16


class ToolsFound(Struct, frozen=True, kw_only=True):
    """One count a tool, and those that failed several times running."""

    counts: tuple[ToolCount, ...] = ()
    loops: tuple[Loop, ...] = ()


class Insights:
    """Looks again where the index has changed, and not more often than it is worth."""

    def __init__(self, around: Around, ours: Ours) -> None:
        self._around, self._ours = around, ours
        self._lock = Lock()
        self._kept: dict[tuple[object, ...], tuple[int, float, float, object]] = {}

    def causes(self, since: int, until: int, project: str = "") -> Causes:
        """Where the dollars went."""
        return self._known(
            ("causes", since, until, project),
            lambda: causes(self._material(since, until, project), self._around.prices),
        )

    def tools(self, since: int, until: int, project: str = "") -> ToolsFound:
        """How the tools did."""
        return self._known(
            ("tools", since, until, project), lambda: self._tools(since, until, project)
        )

    def _tools(self, since: int, until: int, project: str) -> ToolsFound:
        found = self._material(since, until, project)
        waits = self._around.store.facts_of(since, until).waits()
        costs = costs_by_call(found.calls, found.responses)
        return ToolsFound(
            counts=tuple(tool_counts(found.calls, waits)), loops=tuple(loops(found.calls, costs))
        )

    def _material(self, since: int, until: int, project: str) -> InsightFacts:
        ask = self._around.store.facts_of
        facts = ask(since, until, project=project, scope=self._ours.scope())
        return InsightFacts(
            facts.calls(), facts.responses(), facts.compactions(), facts.agent_types()
        )

    def _known(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        head = self._around.store.head()
        with self._lock:
            if key in self._kept:
                known, at, took, found = self._kept[key]
                if known == head or monotonic() - at < max(_FRESH_SECONDS, took * _REST):
                    return cast(T, found)
            begun = monotonic()
            made = make()
            self._kept.pop(key, None)
            self._kept[key] = head, monotonic(), monotonic() - begun, made
            while len(self._kept) > _MOST:
                self._kept.pop(next(iter(self._kept)))
            return made
