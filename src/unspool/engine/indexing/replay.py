"""The archive -> batches, as if a generation's file were read again from its first byte."""

import os
from collections.abc import Callable, Iterable, Iterator

from msgspec import structs

from unspool.decode.lines import is_whole
from unspool.engine.indexing.folds import new_fold
from unspool.engine.indexing.intake import feed, sidecar
from unspool.engine.indexing.rows import RowBatch
from unspool.engine.indexing.segments import PIECE
from unspool.model.files import Root, TailState, TranscriptFile
from unspool.model.rows import Batch, Segment, SourceRow
from unspool.model.sidecars import AgentMeta
from unspool.source.tail import BLOCK, LineBuffer, advance
from unspool.store.pack import unpacked

DAMAGED = "damaged in the archive"


class Replay:
    """One generation, fed segment by segment; `source` only says what it is called."""

    def __init__(
        self,
        source: SourceRow,
        meta: AgentMeta | None = None,
        clean: Callable[[AgentMeta | None], AgentMeta | None] = lambda meta: meta,
    ) -> None:
        self._source = source
        self._meta = clean(sidecar(file_of(source)) or meta)
        self._fold = new_fold(file_of(source), source.source_id, source.generation)
        self._lines = LineBuffer()
        self._read = self._whole = TailState(generation=source.generation)
        self._open = b""  # what was read of the block that is not full yet
        self._rest = b""  # what was read of the line that is not whole yet
        self._begins, self._rows = 0, RowBatch()

    def batches(self, segments: Iterable[Segment]) -> Iterator[Batch]:
        """Its rows; a stretch that is missing is noted and passed over."""
        for segment in segments:
            # Longer than a piece, a batch could give two of its lines one id.
            if segment.end - self._begins > PIECE and self._whole.offset > self._begins:
                yield self.take()
            self.feed(segment)
        if self._whole.offset > self._begins or self._begins == 0:
            yield self.take()
        if self.has_last_line:
            yield self.last_line()

    @property
    def offset(self) -> int:
        """Up to where its lines are whole."""
        return self._whole.offset

    @property
    def has_last_line(self) -> bool:
        """Whether a line is there that only lacks its newline."""
        return is_whole(self._rest)

    def skip(self, segments: Iterable[Segment]) -> None:
        """Take in bytes whose rows somebody has already."""
        for segment in segments:
            self.feed(segment)
            self._rows = RowBatch()
        self._fold.sessions()
        self._begins = self._whole.offset

    def feed(self, segment: Segment) -> None:
        """Take in the next bytes."""
        rows, data = self._rows, unpacked(segment)
        if data is None or segment.offset > self._read.offset:
            self._pass_over(segment.end if data is None else segment.offset, rows)
        data = (data or b"")[max(0, self._read.offset - segment.offset) :]
        feed(self._fold, self._lines.feed(data), rows)
        cut = data.rfind(b"\n") + 1
        if cut:
            self._advance(data[:cut])
            self._whole = self._read
        self._advance(data[cut:])
        self._rest = data[cut:] if self._lines.pending == len(data) - cut else b""

    def take(self) -> Batch:
        """The rows of the whole lines since the last batch."""
        batch = self._batch(self._begins, self._rows)
        self._begins, self._rows = self._whole.offset, RowBatch()
        return batch

    def _advance(self, data: bytes) -> None:
        self._read = advance(self._read, self._open, data)
        self._open = (self._open + data)[len(self._open) + len(data) - self._read.offset % BLOCK :]

    def _pass_over(self, end: int, rows: RowBatch) -> None:
        start = self._read.offset
        self._fold.feed_bad(start, end - start - 1, DAMAGED, rows)
        # Without the missing bytes nothing proves that a file is this one.
        state = TailState(generation=self._read.generation, offset=end, head_len=1)
        self._read = self._whole = state
        self._open, self._lines = b"\0" * (end % BLOCK), LineBuffer(end)

    def _batch(self, begins: int, rows: RowBatch) -> Batch:
        state = self._whole
        source = structs.replace(
            self._source,
            offset=state.offset,
            lines=self._fold.lines,
            size=state.offset,
            mtime_ns=0,  # a sweep will look at the file
            tail=state,
            gone_at=None,
        )
        return structs.replace(
            rows.batch(source, begins),
            sessions=self._fold.sessions(),
            facts=self._fold.facts(self._meta),
            ties=self._fold.ties(),
        )

    def last_line(self) -> Batch:
        """The line that never got its newline; nothing follows on it."""
        rows, lines = RowBatch(), self._fold.lines
        self._fold.feed([(self._whole.offset, self._rest)], rows)
        batch = self._batch(self._whole.offset, rows)
        tail = structs.replace(batch.source.tail, pending=len(self._rest))
        source = structs.replace(batch.source, lines=lines, size=self._read.offset, tail=tail)
        return structs.replace(batch, source=source, is_provisional=True)


def file_of(source: SourceRow) -> TranscriptFile:
    """A source as the file it is or was."""
    root = Root(0, source.root, "", os.path.join(source.root, "projects"))
    return TranscriptFile(
        root=root,
        path=os.path.join(source.root, source.path),
        relpath=source.path,
        kind=source.kind,
        project_id=source.project_id,
        session_id=source.session_id or None,
        agent_id=source.agent_id or None,
        size=source.size,
        mtime_ns=source.mtime_ns,
        inode=source.tail.inode,
    )
