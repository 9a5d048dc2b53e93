"""Caches of responses, limited by bytes; the least recently used go first."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sized
from threading import Lock
from typing import Final, Generic, TypeVar

import msgspec
from msgspec import Struct

from unspool.redact import Redactor

_MAX_ITEM: Final = 2 * 1024 * 1024
_BUDGET: Final = 16 * 1024 * 1024

Item = TypeVar("Item", bound=Sized)


class ByteLru(Generic[Item]):
    """Items up to a total size. Safe to use from several threads."""

    def __init__(self, budget: int, size_of: Callable[[Item], int] = len) -> None:
        self._budget, self._size_of = budget, size_of
        self._lock = Lock()
        self._items: OrderedDict[Hashable, Item] = OrderedDict()
        self._bytes = 0

    def get(self, key: Hashable) -> Item | None:
        """The item of a key, or None."""
        with self._lock:
            if key not in self._items:
                return None
            self._items.move_to_end(key)
            return self._items[key]

    def put(self, key: Hashable, item: Item) -> None:
        """Keep an item, unless it is very large."""
        if self._size_of(item) > _MAX_ITEM:
            return
        with self._lock:
            if key in self._items:
                self._bytes -= self._size_of(self._items.pop(key))
            self._items[key] = item
            self._bytes += self._size_of(item)
            while self._bytes > self._budget:
                self._bytes -= self._size_of(self._items.popitem(last=False)[1])

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._items.clear()
            self._bytes = 0


class ResponseCache:
    """Encoded and redacted answers, by a key that changes whenever the answer may."""

    def __init__(self, redactor: Redactor, budget: int = _BUDGET) -> None:
        self._redactor = redactor
        self._bodies = ByteLru[bytes](budget)

    def get(self, key: Hashable) -> bytes | None:
        """The body of a key, or None."""
        return self._bodies.get(key)

    def encode(self, answer: Struct) -> bytes:
        """An answer as JSON, without secrets."""
        return self._redactor.json(msgspec.json.encode(answer))

    def put(self, key: Hashable, answer: Struct) -> bytes:
        """Encode an answer and keep it."""
        body = self.encode(answer)
        self._bodies.put(key, body)
        return body

    def clear(self) -> None:
        """Keep nothing."""
        self._bodies.clear()

    def get_or_make(self, key: Hashable, make: Callable[[], Struct]) -> bytes:
        """The body of a key, made now if it is not there."""
        body = self.get(key)
        return self.put(key, make()) if body is None else body
