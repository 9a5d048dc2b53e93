"""Answers -> what is sent: clean, and made and written once for all who ask the same."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Final

import msgspec
from msgspec import Struct

from unspool.redact import Redactor

_BUDGET: Final = 16 * 1024 * 1024
_LONGEST: Final = 2 * 1024 * 1024


class Written:
    """Keeps answers by what they answer; the least lately asked for go first."""

    def __init__(self, redactor: Redactor, budget: int = _BUDGET) -> None:
        self._redactor, self._budget = redactor, budget
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._bytes = 0

    def known(self, asked: Hashable) -> bytes | None:
        """What was sent to somebody who asked the same."""
        with self._lock:
            if asked not in self._kept:
                return None
            self._kept.move_to_end(asked)
            return self._kept[asked]

    def clean(self, answer: Struct) -> bytes:
        """An answer in JSON, without secrets."""
        return self._redactor.json(msgspec.json.encode(answer))

    def keep(self, asked: Hashable, answer: Struct) -> bytes:
        """An answer as it is sent, kept for others unless it is long."""
        made = self.clean(answer)
        if len(made) <= _LONGEST:
            with self._lock:
                self._bytes += len(made) - len(self._kept.pop(asked, b""))
                self._kept[asked] = made
                while self._bytes > self._budget:
                    self._bytes -= len(self._kept.popitem(last=False)[1])
        return made

    def of(self, asked: Hashable, make: Callable[[], Struct]) -> bytes:
        """What is sent: as it was, or else made now."""
        known = self.known(asked)
        return self.keep(asked, make()) if known is None else known
