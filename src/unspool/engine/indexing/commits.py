"""Batches -> the store, in groups: raw bytes first, then rows and checkpoints together."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from unspool.engine.indexing.intake import IntakePiece
from unspool.model.rows import Batch, Segment
from unspool.model.usage import Price
from unspool.store import Store

# One transaction holds about as much as is shown at once while a long sweep goes on.
_MOST_BYTES: Final = 16 * 1024 * 1024
_MOST_LINES: Final = 20_000
_LONGEST: Final = 1.0


class Commits:
    """Gathers what sources gave; a group is written whole, or not at all."""

    def __init__(self, store: Store, price: Price, done: Callable[[Sequence[Batch]], None]) -> None:
        self._store, self._price = store, price
        self._done = done
        self._clear()

    def _clear(self) -> None:
        self._segments: list[Segment] = []
        self._batches: list[Batch] = []
        self._bytes = 0
        self._lines = 0
        self._since = monotonic()

    def add(self, taken: IntakePiece) -> None:
        """Add what one piece of a source gave, and write when it is enough."""
        segments, batch = taken
        if not self._batches:
            self._since = monotonic()
        self._segments += segments
        self._batches.append(batch)
        # The segments of a very long line come before the checkpoint moves.
        waiting = sum(len(segment.packed) for segment in segments)
        self._bytes += max(batch.source.offset - batch.begins, waiting)
        self._lines += len(batch.lines)
        if (
            self._bytes >= _MOST_BYTES
            or self._lines >= _MOST_LINES
            or monotonic() - self._since >= _LONGEST
        ):
            self.flush()

    def flush(self) -> None:
        """Write what there is."""
        if not self._batches:
            return
        batches = self._batches
        begun = [batch.source for batch in batches if batch.begins == 0]
        if self._segments or begun:
            self._store.archive(self._segments, begun)
        self._store.commit(batches, self._price)
        self._clear()
        self._done(batches)
