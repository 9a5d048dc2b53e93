"""What a sweep or a look has done so far, and in the end."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from unspool.engine.indexing.queue import Queue
from unspool.engine.indexing.survey import Found
from unspool.model.files import SkippedFile
from unspool.model.rows import Batch, SourceRow

_SOON: Final = 2 * 1024 * 1024

Progress: TypeAlias = Callable[[int, int], None]  # bytes done, bytes there are to do
Between: TypeAlias = Callable[[], object]  # called after every commit of a sweep


class SweepReport(Struct, frozen=True, kw_only=True):
    """What one sweep or look found and did; `again` has more to read, `later` may have."""

    files: int = 0
    changed: int = 0
    gone: int = 0
    lines: int = 0
    bytes: int = 0
    sessions: int = 0
    skipped: tuple[SkippedFile, ...] = ()
    trouble: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


class Run:
    """Counts as it goes, and reports progress."""

    def __init__(
        self,
        known: dict[int, SourceRow],
        found: Sequence[Found],
        progress: Progress | None,
        between: Between | None,
    ) -> None:
        self.total = sum(one.new_bytes for one in found)
        self.lines = 0
        self.bytes = 0
        self.trouble: list[str] = []
        self.again: list[str] = []
        self.later: list[str] = []
        self.queue = Queue()
        self._known = known
        self._progress = progress
        self._between = between
        self._gathered = 0

    def is_enough(self, batch: Batch) -> bool:
        """Whether, with one more batch, somebody has waited long enough for the next commit."""
        self._gathered += batch.source.offset - batch.begins
        return self._between is not None and self._gathered >= _SOON

    def done(self, batches: Sequence[Batch]) -> None:
        """Note what has been committed."""
        self._gathered = 0
        for batch in batches:
            self._known[batch.source.source_id] = batch.source
            self.queue.done(batch.source)
            self.lines += len(batch.lines)
            self.bytes += batch.source.offset - batch.begins
        if self._progress is not None:
            self._progress(min(self.bytes, self.total), self.total)
        if self._between is not None:
            self._between()

    def report(self) -> SweepReport:
        """All of it."""
        return SweepReport(
            lines=self.lines,
            bytes=self.bytes,
            trouble=tuple(self.trouble),
            again=tuple(self.again),
            later=tuple(self.later),
        )
