"""What was made once, kept up to so many bytes; the least lately asked for go first."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sized
from threading import Lock
from typing import Final, Generic, TypeVar

_LONGEST: Final = 2 * 1024 * 1024

Kept = TypeVar("Kept", bound=Sized)


class Keeping(Generic[Kept]):
    """By what was asked, which must be another where the answer may be."""

    def __init__(self, budget: int, weigh: Callable[[Kept], int] = len) -> None:
        self._budget, self._weigh = budget, weigh
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._bytes = 0

    def known(self, asked: Hashable) -> Kept | None:
        """What was made for somebody who asked the same."""
        with self._lock:
            if asked not in self._kept:
                return None
            self._kept.move_to_end(asked)
            return self._kept[asked]

    def keep(self, asked: Hashable, made: Kept) -> None:
        """Keep it for others, unless it is long."""
        if self._weigh(made) > _LONGEST:
            return
        with self._lock:
            if asked in self._kept:
                self._bytes -= self._weigh(self._kept.pop(asked))
            self._kept[asked] = made
            self._bytes += self._weigh(made)
            while self._bytes > self._budget:
                self._bytes -= self._weigh(self._kept.popitem(last=False)[1])
