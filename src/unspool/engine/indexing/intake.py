"""One source -> batches: its new lines as rows, and the same bytes packed for the archive."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, TypeAlias, cast

from msgspec import structs

from unspool.decode.lines import is_whole
from unspool.decode.sidecars import agent_meta
from unspool.engine.hooks.events import is_forgotten_payload
from unspool.engine.ids import source_id
from unspool.engine.indexing.folds import Fold, new_fold
from unspool.engine.indexing.rows import RowBatch
from unspool.engine.indexing.segments import PIECE, long_line_segments, segments, unfinished
from unspool.model.files import LineSpan, TailRead, TailState, TranscriptFile
from unspool.model.rows import Batch, Segment, SourceRow
from unspool.model.sidecars import AgentMeta
from unspool.source import tail
from unspool.source.claude_code import QUIET_MS
from unspool.source.forgotten import NONE, tombstones
from unspool.source.safe_open import OpenFile, read_whole
from unspool.source.spool import scrub
from unspool.source.tail import Line, LineBuffer, split_lines
from unspool.store import Store

TOO_LONG = "longer than a line may be"
_LEAST = 64 * 1024
_LONGEST_SIDECAR = 1024 * 1024
# A file that nobody has written to for a day is read again should it grow.
_IN_USE: Final = 86_400_000
# A state is written once a second at most, or after this much: the rest is read again.
_STATE_MS: Final = 1_000
_STATE_BYTES: Final = 64 * 1024

IntakePiece: TypeAlias = tuple[list[Segment], Batch]


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

    def __init__(
        self, file: TranscriptFile, known: SourceRow | None = None, store: Store | None = None
    ) -> None:
        self.file = file
        self.source = known or new_source(file)
        self._store = store
        self._fold: Fold | None = None
        self._is_proven = False  # whether this process has compared what was read before it
        self._state_at: tuple[int, int] | None = None  # when and where the last state was taken

    @property
    def lines(self) -> int:
        """How many lines it remembers: about how much memory it holds."""
        return self._fold.lines if self._fold else 0

    def batches(self, now: int) -> Iterator[IntakePiece]:
        """What was written since, a piece at a time, each to be committed in this order."""
        while True:
            before = self.source.tail
            piece = tail.read(
                self.file.path, before, limit=self._limit(), is_proven=self._is_proven
            )
            if piece.gone:
                return
            if self._is_scrubbed(piece.base):
                continue
            self._is_proven = True
            grew = bool(piece.data or piece.oversize)
            more = piece.more and grew
            settled = not more and not piece.state.pending
            if grew or piece.generation != self.source.generation:
                for segment in long_line_segments(self.source.source_id, piece, self.file.path):
                    # Raw first, and never all of it in memory: the checkpoint stays where it was.
                    yield [segment], Batch(source=self.source, begins=self.source.offset)
                yield self._taken(piece, now, settled=settled)
                if settled:
                    return
            if not more:
                break
        yield from self._rest(piece, now)

    def _is_scrubbed(self, start: int) -> bool:
        """Whether forgotten events were just taken out of a spool, to be read again."""
        gone = tombstones(self.file.root.tombstones) if self.file.kind == "spool" else NONE
        return bool(gone) and scrub(self.file.path, is_forgotten_payload(gone), start)

    def _limit(self) -> int:
        """How much to read at once: there is no use in room for a piece where a line is read."""
        return min(PIECE, max(_LEAST, self.file.size - self.source.offset))

    def _taken(self, piece: TailRead, now: int, *, settled: bool) -> IntakePiece:
        if piece.generation != self.source.generation:
            self._fold = self._state_at = None
        fold, rows = self._ready_fold(piece.generation, piece.base), RowBatch()
        feed(fold, split_lines(piece.data, piece.base), rows)
        feed(fold, piece.oversize, rows)
        self.source = self._moved(piece.state, fold.lines, settled=settled)
        packed = segments(self.source.source_id, piece)
        batch = self._batch(piece.base, rows, fold)
        return packed, structs.replace(batch, state=self._state(piece, now, fold))

    def _state(self, piece: TailRead, now: int, fold: Fold) -> bytes:
        """The fold's state, where the file may well grow on and enough has come since the last."""
        offset, written = piece.state.offset, piece.state.mtime_ns // 1_000_000
        if piece.more or now - written > _IN_USE:
            return b""
        if self._state_at is not None:
            at, where = self._state_at
            if 0 <= now - at < _STATE_MS and offset - where < _STATE_BYTES:
                return b""
        self._state_at = now, offset
        return fold.state()

    def _rest(self, piece: TailRead, now: int) -> Iterator[IntakePiece]:
        """A last line without its newline, and a file that only looks changed."""
        state, before = piece.state, self.source
        if state.pending and abs(now - state.mtime_ns // 1_000_000) < QUIET_MS:
            self.source = structs.replace(before, tail=state)
            return
        self.source = self._moved(state, before.lines, settled=True)
        if self.source == before:
            return
        line = tail.unfinished_line(self.file.path, state) if state.pending else b""
        # The file may be deleted as it is: what is not a line yet is archived too.
        kept = [unfinished(before.source_id, state, line)] if line or _had_rest(before) else []
        if line and is_whole(line):
            fold, rows = self._ready_fold(state.generation, state.offset), RowBatch()
            self._fold = None  # the line is fed again when it is whole
            fold.feed([(state.offset, line)], rows)
            yield kept, self._batch(state.offset, rows, fold, is_provisional=True)
        else:
            yield kept, Batch(source=self.source, begins=state.offset)

    def _ready_fold(self, generation: int, base: int) -> Fold:
        """The fold of all lines before an offset, from its stored state and what came since."""
        if self._fold is None:
            source = self.source
            # A root may be the first today and the second tomorrow; its sessions stay who they are.
            file = structs.replace(self.file, project_id=source.project_id)
            self._fold = new_fold(file, source.source_id, generation)
            start = self._resume(self._fold, generation, base) if base else 0
            feed(self._fold, _lines_between(self.file.path, start, base), RowBatch())
        return self._fold

    def _resume(self, fold: Fold, generation: int, base: int) -> int:
        """Put a fold into its stored state; up to which offset it then has read."""
        id, store = self.source.source_id, self._store
        offset, state = (store and store.fold_state(id, generation)) or (0, b"")
        if store is None or not 0 < offset <= base:
            return 0
        uuids = store.message_uuids(id, generation, offset)
        return offset if fold.resume(state, uuids) else 0

    def _moved(self, state: TailState, lines: int, *, settled: bool) -> SourceRow:
        """The checkpoint; without its time a sweep looks at the file again."""
        return structs.replace(
            self.source,
            session_id=self.source.session_id or self.file.session_id or "",
            generation=state.generation,
            offset=state.offset,
            lines=lines,
            size=state.size_seen,
            mtime_ns=state.mtime_ns if settled else 0,
            tail=state,
            gone_at=None,
        )

    def _batch(
        self, begins: int, rows: RowBatch, fold: Fold, *, is_provisional: bool = False
    ) -> Batch:
        return rows.batch(
            self.source,
            begins,
            sessions=fold.sessions(),
            facts=fold.facts(sidecar(self.file)),
            ties=fold.ties(),
            is_provisional=is_provisional,
        )


def sidecar(file: TranscriptFile) -> AgentMeta | None:
    """What lies beside an agent's transcript."""
    if not file.agent_id:
        return None
    data = read_whole(file.path.removesuffix(".jsonl") + ".meta.json", _LONGEST_SIDECAR)
    return agent_meta(data) if data else None


def feed(fold: Fold, lines: Iterable[Line | LineSpan], rows: RowBatch) -> None:
    """Tell a fold some lines, of those too long to hold the places."""
    for is_too_long, run in groupby(lines, lambda line: isinstance(line, LineSpan)):
        if is_too_long:
            for place in cast(Iterable[LineSpan], run):
                fold.feed_bad(place.offset, place.length, TOO_LONG, rows)
        else:
            fold.feed(cast(Iterable[Line], run), rows)


def _lines_between(path: str, start: int, end: int) -> Iterator[Line | LineSpan]:
    """The whole lines between two offsets, at each of which one begins."""
    if start == end:
        return
    buffer = LineBuffer(start)
    with OpenFile(path) as file:
        while start < end and (data := file.read(start, min(PIECE, end - start))):
            yield from buffer.feed(data)
            start += len(data)


def _had_rest(source: SourceRow) -> bool:
    return source.size > source.offset
