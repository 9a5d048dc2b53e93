"""One source -> batches: its new lines as rows, and the same bytes packed for the archive."""

import zlib
from collections.abc import Iterator
from hashlib import blake2b
from typing import TypeAlias

from msgspec import structs
from zstandard import ZstdCompressor

from unspool.decode.lines import decode
from unspool.decode.salvage import parts
from unspool.derive.money.pricer import Pricer
from unspool.ingest.fold import SourceFold
from unspool.ingest.logs import HookFold, JournalFold
from unspool.ingest.rows import Rows
from unspool.model.files import Piece, TailState, TranscriptFile
from unspool.model.rows import Batch, Segment, SourceRow
from unspool.model.transcript import Oversize
from unspool.source import tail
from unspool.source.lines import scan
from unspool.source.reader import FileLines

PIECE = 4 * 1024 * 1024
QUIET_MS = 30_000
Fold: TypeAlias = SourceFold | HookFold | JournalFold

_pack = ZstdCompressor(level=3).compress


def source_id(root: str, path: str) -> int:
    """A source's number: made from its place, so it is the same after a rebuild."""
    digest = blake2b(f"{root}\0{path}".encode("utf-8", "surrogateescape"), digest_size=6)
    return int.from_bytes(digest.digest()) >> 1


def new_source(file: TranscriptFile) -> SourceRow:
    """A file nothing has been taken from yet."""
    return SourceRow(
        source_id=source_id(file.root.path, file.relpath),
        root=file.root.path,
        path=file.relpath,
        kind=file.kind,
        project_id=file.project_id,
        session_id=file.session_id or "",
        agent_id=file.agent_id or "",
    )


class Intake:
    """Takes in one file from where it was left; kept, it goes on without reading twice."""

    def __init__(self, file: TranscriptFile, known: SourceRow | None, pricer: Pricer) -> None:
        self.file = file
        self.source = known or new_source(file)
        self._pricer = pricer
        self._fold: Fold | None = None

    def batches(self, now: int) -> Iterator[tuple[list[Segment], Batch]]:
        """What was written since, a piece at a time; the caller commits each before the next."""
        while True:
            piece = tail.read(self.file.path, self.source.tail, limit=PIECE)
            if piece.gone:
                return
            if piece.data or piece.oversize or piece.reset:
                yield self._batch(piece)
            if not piece.more or not (piece.data or piece.oversize):
                break
        yield from self._unfinished(piece, now)

    def _batch(self, piece: Piece) -> tuple[list[Segment], Batch]:
        if piece.reset:
            self._fold = None
        fold = self._ready_fold(piece)
        rows = Rows()
        _feed(fold, piece, rows)
        self.source = self._moved(piece.state, fold.lines)
        segments = _segments(self.source.source_id, piece, self.file.path)
        return segments, self._made(piece.base, rows, fold, restarts=piece.reset)

    def _ready_fold(self, piece: Piece) -> Fold:
        """The fold of all lines before this piece; after a restart they are read again."""
        if self._fold is None:
            self._fold = self._new_fold(piece.generation)
            if piece.base:
                before = tail.read(self.file.path, TailState(), limit=piece.base)
                while before.base < piece.base:
                    _feed(self._fold, before, Rows())
                    left = piece.base - before.state.offset
                    if left <= 0:
                        break
                    before = tail.read(self.file.path, before.state, limit=left)
        return self._fold

    def _new_fold(self, generation: int) -> Fold:
        source = self.source.source_id
        if self.file.kind == "hook_log":
            return HookFold(source, generation)
        if self.file.kind == "journal":
            return JournalFold()
        return SourceFold(self.file, source, generation, self._pricer)

    def _moved(self, state: TailState, lines: int) -> SourceRow:
        return structs.replace(
            self.source,
            generation=state.generation,
            offset=state.offset,
            lines=lines,
            size=state.size_seen,
            mtime_ns=state.mtime_ns,
            tail=state,
            gone_at=None,
        )

    def _made(
        self,
        begins: int,
        rows: Rows,
        fold: Fold,
        *,
        restarts: bool = False,
        is_provisional: bool = False,
    ) -> Batch:
        return Batch(
            source=self.source,
            begins=begins,
            restarts=restarts,
            is_provisional=is_provisional,
            lines=rows.lines,
            texts=rows.texts,
            usage=rows.usage,
            calls=rows.calls,
            results=rows.results,
            files=rows.files,
            bad=rows.bad,
            hooks=rows.hooks,
            oddities=rows.oddities,
            session=fold.session(),
            facts=fold.facts(),
        )

    def _unfinished(self, piece: Piece, now: int) -> Iterator[tuple[list[Segment], Batch]]:
        """A last line without its newline, once nobody has written for a while."""
        state = piece.state
        if not state.pending or now - state.mtime_ns // 1_000_000 < QUIET_MS:
            return
        line = tail.provisional(self.file.path, state)
        if line is None or not line.strip(b" \t\r\0"):
            return
        fold = self._ready_fold(structs.replace(piece, base=state.offset, data=b""))
        self._fold = None  # what follows is fed again when the line is whole
        rows = Rows()
        _feed_line(fold, state.offset, line, rows)
        self.source = self._moved(state, self.source.lines)
        yield [], self._made(state.offset, rows, fold, is_provisional=True)


def _feed(fold: Fold, piece: Piece, rows: Rows) -> None:
    data, base = piece.data, piece.base
    for offset, length in scan(data, base):
        start = offset - base
        _feed_line(fold, offset, data[start : start + length], rows)
    for place in piece.oversize:
        fold.begin_line()
        fold.feed(place.offset, place.length, Oversize(place.length), rows)


def _feed_line(fold: Fold, offset: int, line: bytes, rows: Rows) -> None:
    fold.begin_line()
    if isinstance(fold, HookFold):
        fold.feed_line(offset, line, rows)
        return
    entries = decode(line)
    if len(entries) == 1:
        fold.feed(offset, len(line), entries[0], rows)
    elif entries:
        for part in parts(line):
            fold.feed(offset + part.start, part.end - part.start, part.entry, rows)


def _segments(source: int, piece: Piece, path: str) -> list[Segment]:
    generation = piece.generation
    if piece.data:
        return [_segment(source, generation, piece.base, piece.data)]
    found = []
    with FileLines(path) as file:
        for place in piece.oversize:
            end = place.offset + place.length + 1
            for offset in range(place.offset, end, PIECE):
                data = file.read(offset, min(PIECE, end - offset))
                found.append(_segment(source, generation, offset, data))
    return found


def _segment(source: int, generation: int, offset: int, data: bytes) -> Segment:
    return Segment(source, generation, offset, offset + len(data), zlib.crc32(data), _pack(data))
