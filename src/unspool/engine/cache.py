"""Sessions kept in memory up to a budget of bytes; the least lately asked for goes first."""

from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

DEFAULT_BUDGET = 50 * 1024 * 1024


class Weighty(Protocol):
    """Something that knows about how many bytes it holds."""

    @property
    def weight(self) -> int: ...


Kept = TypeVar("Kept", bound=Weighty)
Key = TypeVar("Key", bound=Hashable)


class DataCache(Generic[Key, Kept]):
    """Order of use is counted, not clocked: two uses in one millisecond still have an order.

    A value is weighed when it is asked for: sessions grow while they are kept.
    """

    def __init__(self, budget: int = DEFAULT_BUDGET) -> None:
        self._budget = budget
        self._kept: dict[Key, Kept] = {}
        self._used: dict[Key, int] = {}
        self._uses = 0

    def get(self, key: Key) -> Kept | None:
        """The value under a key, which counts as a use of it."""
        value = self._kept.get(key)
        if value is not None:
            self._touch(key)
        return value

    def put(self, key: Key, value: Kept) -> list[Kept]:
        """Keep a value; those that had to make room for it."""
        self._kept[key] = value
        self._touch(key)
        return self._make_room(key)

    def drop(self, belongs: Callable[[Key], bool]) -> int:
        """Forget every key that belongs; how many there were."""
        gone = [key for key in self._kept if belongs(key)]
        for key in gone:
            self._forget(key)
        return len(gone)

    @property
    def weight(self) -> int:
        """What is kept weighs this many bytes now."""
        return sum(value.weight for value in self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def _touch(self, key: Key) -> None:
        self._uses += 1
        self._used[key] = self._uses

    def _make_room(self, newest: Key) -> list[Kept]:
        # One value over the budget stays: it was asked for, and would only be read again.
        weight, gone = self.weight, list[Kept]()
        while weight > self._budget and len(self._kept) > 1:
            oldest = min((key for key in self._kept if key != newest), key=self._used.__getitem__)
            gone.append(self._kept[oldest])
            weight -= gone[-1].weight
            self._forget(oldest)
        return gone

    def _forget(self, key: Key) -> None:
        del self._kept[key]
        del self._used[key]
