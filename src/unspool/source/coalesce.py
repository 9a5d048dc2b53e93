"""Changes as they come -> when to tell of them: the first at once, a burst as one."""

from collections.abc import Hashable
from math import inf
from typing import Final, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

WINDOW: Final = 0.1  # seconds


class Coalescer(Generic[Key]):
    """A key is due at once, and after it was told of not before the window is over.

    What comes meanwhile waits for the window's end, and is then one change: nothing waits
    longer than that, however steadily it is written to.
    """

    def __init__(self, window: float = WINDOW) -> None:
        self._window = window
        self._told: dict[Key, float] = {}
        self._waiting: dict[Key, float] = {}

    def touch(self, key: Key, now: float) -> None:
        """Note a change; while the key waits, it changes nothing."""
        told = self._told.get(key, -inf)
        self._waiting.setdefault(key, max(now, told + self._window))

    def due(self, now: float) -> list[Key]:
        """The keys to look at now, those that have waited longest first."""
        self._told = {key: at for key, at in self._told.items() if at + self._window > now}
        ready = [(at, key) for key, at in self._waiting.items() if at <= now]
        ready.sort(key=lambda one: one[0])
        for _, key in ready:
            del self._waiting[key]
        return [key for _, key in ready]

    def told(self, key: Key, now: float) -> None:
        """Note that a key was told of: a false alarm need not put off the next change."""
        self._told[key] = now

    def next_due(self) -> float | None:
        """When there is something to tell; None while nothing waits."""
        return min(self._waiting.values(), default=None)
