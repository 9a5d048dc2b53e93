"""Intakes of files in use: what was read of them is remembered, so an append costs an append."""

from collections import OrderedDict
from typing import Final

from unspool.engine.indexing.intake import Intake

_MOST: Final = 1_024
_MOST_LINES: Final = 200_000  # about what they hold of memory


class Kept:
    """Those last written to; the one that has waited longest goes first, the longest never.

    To read that one again would take more than to read all others.
    """

    def __init__(self, most: int = _MOST, most_lines: int = _MOST_LINES) -> None:
        self._most = most
        self._most_lines = most_lines
        self._lines = 0
        self._intakes: OrderedDict[int, Intake] = OrderedDict()

    def __len__(self) -> int:
        return len(self._intakes)

    def take(self, source_id: int) -> Intake | None:
        """The intake of a file, which is then no longer kept."""
        intake = self._intakes.pop(source_id, None)
        if intake is not None:
            self._lines -= intake.lines
        return intake

    def put(self, intake: Intake) -> None:
        """Keep one, and let go of others where there are too many."""
        self._intakes[intake.source.source_id] = intake
        self._lines += intake.lines
        while len(self) > 1 and (len(self) > self._most or self._lines > self._most_lines):
            longest = max(self._intakes, key=lambda id: self._intakes[id].lines)
            self.take(next(id for id in self._intakes if id != longest))

    def clear(self) -> None:
        """Forget all of them."""
        self._intakes.clear()
        self._lines = 0
