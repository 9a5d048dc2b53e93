"""Answers -> what is sent: clean, and made and written once for all who ask the same."""

from collections.abc import Callable, Hashable
from typing import Final

import msgspec
from msgspec import Struct

from unspool.redact import Redactor
from unspool.serve.keeping import Keeping

_BUDGET: Final = 16 * 1024 * 1024


class Written:
    """Keeps answers by what they answer."""

    def __init__(self, redactor: Redactor, budget: int = _BUDGET) -> None:
        self._redactor = redactor
        self._kept = Keeping[bytes](budget)

    def known(self, asked: Hashable) -> bytes | None:
        """What was sent to somebody who asked the same."""
        return self._kept.known(asked)

    def clean(self, answer: Struct) -> bytes:
        """An answer in JSON, without secrets."""
        return self._redactor.json(msgspec.json.encode(answer))

    def keep(self, asked: Hashable, answer: Struct) -> bytes:
        """An answer as it is sent, kept for others unless it is long."""
        made = self.clean(answer)
        self._kept.keep(asked, made)
        return made

    def of(self, asked: Hashable, make: Callable[[], Struct]) -> bytes:
        """What is sent: as it was, or else made now."""
        known = self.known(asked)
        return self.keep(asked, make()) if known is None else known
