"""Keys that requests show -> who sends; what was found is remembered for five seconds."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final, Generic, TypeVar

from unspool.store.postgres.people import hashed

REMEMBERED_MS: Final = 5_000
_MOST: Final = 10_000
Who = TypeVar("Who")


class KeyCache(Generic[Who]):
    """Asks the database for each key at most once in some time, also for those it refused.

    So a revoked key is refused by every process within that time.
    """

    def __init__(
        self,
        find: Callable[[str], Who | None],
        now: Callable[[], int],
        remembered_ms: int = REMEMBERED_MS,
    ) -> None:
        self._find, self._now, self._lock = find, now, Lock()
        self._remembered_ms = remembered_ms
        self._known: OrderedDict[bytes, tuple[int, Who | None]] = OrderedDict()

    def of(self, key: str) -> Who | None:
        """Whose key this is."""
        name, now = hashed(key), self._now()
        with self._lock:
            at, who = self._known.get(name, (None, None))
        if at is not None and 0 <= now - at < self._remembered_ms:
            return who
        who = self._find(key)
        with self._lock:
            self._known[name] = now, who
            self._known.move_to_end(name)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return who

    def had(self, key: str) -> bool:
        """Whether a key was good when it was last asked for."""
        with self._lock:
            return self._known.get(hashed(key), (0, None))[1] is not None

    def forget(self, key: str) -> None:
        """Ask again for a key the next time."""
        with self._lock:
            self._known.pop(hashed(key), None)
