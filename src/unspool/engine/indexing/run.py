"""One run of the indexer: the files that wait, what has been read, and the report at the end."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from unspool.engine.ids import source_id
from unspool.engine.indexing.survey import PendingFile
from unspool.model.files import SkippedFile
from unspool.model.rows import Batch, SourceRow

# What is read at once, of one file and of all: others are looked at in between.
LARGE: Final = 256 * 1024
_MAX_BYTES: Final = 8 * 1024 * 1024
_COMMIT_BYTES: Final = 2 * 1024 * 1024

Progress: TypeAlias = Callable[[int, int], None]  # bytes done, bytes there are to do
Between: TypeAlias = Callable[[], object]  # called after every commit


class Queue:
    """Hands files out in order; what was handed out is busy until all of it is committed."""

    def __init__(self, found: Iterable[PendingFile] = ()) -> None:
        # Taking the first out of a dict is slower the more were taken out before.
        self._waiting = OrderedDict((_id(one), one) for one in found)
        self._busy: set[int] = set()

    def __iter__(self) -> Iterator[PendingFile]:
        while self._waiting:
            id, one = self._waiting.popitem(last=False)
            self._busy.add(id)
            yield one

    def done(self, source: SourceRow) -> None:
        """Note how far a file is committed."""
        if not has_more(source):
            self._busy.discard(source.source_id)

    def claim(self, found: PendingFile) -> bool:
        """Take a file out of turn; False while it is being read."""
        self._waiting.pop(_id(found), None)
        return _id(found) not in self._busy


def has_more(source: SourceRow) -> bool:
    """Whether there were whole lines in its file beyond the checkpoint."""
    return source.tail.size_seen > source.offset + source.tail.pending


def share(found: Iterable[PendingFile]) -> list[PendingFile]:
    """What to read next: small files up to a total size, and one large one.

    A file that grows without end delays the others by one piece, never by all of it.
    """
    chosen: list[PendingFile] = []
    large: list[PendingFile] = []
    room = _MAX_BYTES
    for one in found:
        if one.new_bytes > LARGE:
            large.append(one)
        elif room > 0:
            chosen.append(one)
            room -= one.new_bytes
    return chosen + large[:1]


def _id(found: PendingFile) -> int:
    return source_id(found.file.root.path, found.file.relpath)


class SweepReport(Struct, frozen=True, kw_only=True):
    """What one run found and did; `again` has more to read, `later` may have."""

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
        found: Sequence[PendingFile],
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
        """Whether enough was read, with this batch, for the next commit."""
        self._gathered += batch.source.offset - batch.begins
        return self._between is not None and self._gathered >= _COMMIT_BYTES

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
        """The report of the run."""
        return SweepReport(
            lines=self.lines,
            bytes=self.bytes,
            trouble=tuple(self.trouble),
            again=tuple(self.again),
            later=tuple(self.later),
        )
