"""The steps of a session as its page counts them, and what each cost by cause."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

StepKind: TypeAlias = Literal[
    "prompt", "thinking", "call", "text", "agent", "notice", "stop", "compaction"
]


# Thinking that was not stored is a step of its own where it took this long.
LONG_THOUGHT_MS: Final = 10_000


class StepCost(NamedTuple):
    """Picodollars by cause; all together are the cost with agents."""

    read: int = 0  # of the cache
    write: int = 0  # to the cache, for the first time
    input: int = 0  # that is not cached
    output: int = 0
    rewrite: int = 0  # beyond reading it: what the cache had held and lost
    searches: int = 0  # of the web
    agents: int = 0  # that it started, at any depth


class SessionStep(NamedTuple):
    """One step; its number is its place among all steps."""

    id: str  # of its element on the page
    kind: StepKind
    chunk: int = 0  # its number
    turn: int | None = None
    line: int = 0
    start: int | None = None
    end: int | None = None
    name: str = ""
    failed: bool = False
    response: str = ""  # that made it
    cost: StepCost = StepCost()
    is_least: bool = False  # it cost more than that, and nobody knows how much

    @property
    def pico(self) -> int:
        """What it cost, with the agents it started."""
        return sum(self.cost)


class ContextPoint(NamedTuple):
    """What one response read: estimates by category, and the size that was measured."""

    line: int
    turn: int
    phase: int
    sizes: tuple[int, ...]  # in the order of `Categories`
    measured: int
    hidden: int = 0  # written by the model in this phase before it, and stored nowhere


class StepFigures(NamedTuple):
    """What a page draws of all steps of a session, beside its document."""

    steps: tuple[SessionStep, ...] = ()
    points: tuple[ContextPoint, ...] = ()
    failures: Mapping[str, str] = {}  # what failed, by call, in a few words
    exits: Mapping[str, int] = {}  # what a command exited with, by call, where that is known


NO_FIGURES = StepFigures()
