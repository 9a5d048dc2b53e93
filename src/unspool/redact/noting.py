"""A redactor that remembers where it took something out, for whoever has to answer for it."""

from collections import Counter
from typing import Self

from unspool.model.api import RemovedSecrets
from unspool.redact.redactor import Redactor
from unspool.redact.spans import Found


class Noting(Redactor):
    """Takes secrets out; `at` says of what place the next ones are."""

    def __init__(self) -> None:
        super().__init__()
        self._place = ""
        self._taken: Counter[tuple[str, str]] = Counter()

    def at(self, place: str) -> Self:
        """From here on, what is taken out is of this place."""
        self._place = place
        return self

    @property
    def taken(self) -> tuple[RemovedSecrets, ...]:
        """What was taken out, place by place, in the order they were come to."""
        return tuple(RemovedSecrets(*where, count) for where, count in self._taken.items())

    def _note(self, found: list[Found]) -> None:
        super()._note(found)
        self._taken.update((self._place, one.kind) for one in found)
