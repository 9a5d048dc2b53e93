"""One source -> batches: its new lines as rows, and the same bytes packed for the archive."""

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import structs

from unspool.decode.lines import is_whole
from unspool.decode.sidecars import agent_meta
from unspool.engine.indexing.folds import Fold, new_fold
from unspool.engine.indexing.ids import source_id
from unspool.engine.indexing.rows import Rows
from unspool.engine.indexing.segments import PIECE, segments, unfinished
from unspool.model.files import TailRead, TailState, TranscriptFile
from unspool.model.rows import Batch, Segment, SourceRow
from unspool.model.sidecars import AgentMeta
from unspool.source import tail
from unspool.source.claude_code import QUIET_MS
from unspool.source.safe_open import read_whole
from unspool.source.tail import split_lines

TOO_LONG = "longer than a line may be"
_LEAST = 64 * 1024
_LONGEST_SIDECAR = 1024 * 1024

Taken: TypeAlias = tuple[list[Segment], Batch]


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

    def __init__(self, file: TranscriptFile, known: SourceRow | None = None) -> None:
        self.file = file
        self.source = known or new_source(file)
        self._fold: Fold | None = None

    @property
    def lines(self) -> int:
        """How many lines it remembers: about how much memory it holds."""
        return self._fold.lines if self._fold else 0

    def batches(self, now: int) -> Iterator[Taken]:
        """What was written since, a piece at a time, each to be committed in this order."""
        while True:
            piece = tail.read(self.file.path, self.source.tail, limit=self._limit())
            if piece.gone:
                return
            grew = bool(piece.data or piece.oversize)
            more = piece.more and grew
            settled = not more and not piece.state.pending
            if grew or piece.generation != self.source.generation:
                yield self._taken(piece, settled=settled)
                if settled:
                    return
            if not more:
                break
        yield from self._rest(piece, now)

    def _limit(self) -> int:
        """How much to read at once: there is no use in room for a piece where a line is read."""
        return min(PIECE, max(_LEAST, self.file.size - self.source.offset))

    def _taken(self, piece: TailRead, *, settled: bool) -> Taken:
        restarts = piece.generation != self.source.generation
        if restarts:
            self._fold = None
        fold, rows = self._ready_fold(piece), Rows()
        feed(fold, piece, rows)
        self.source = self._moved(piece.state, fold.lines, settled=settled)
        packed = segments(self.source.source_id, piece, self.file.path)
        return packed, self._batch(piece.base, rows, fold, restarts=restarts)

    def _rest(self, piece: TailRead, now: int) -> Iterator[Taken]:
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
            fold, rows = self._ready_fold(structs.replace(piece, base=state.offset)), Rows()
            self._fold = None  # the line is fed again when it is whole
            fold.feed([(state.offset, line)], rows)
            yield kept, self._batch(state.offset, rows, fold, is_provisional=True)
        else:
            yield kept, Batch(source=self.source, begins=state.offset)

    def _ready_fold(self, piece: TailRead) -> Fold:
        """The fold of all lines before this piece; after a restart they are read again."""
        if self._fold is None:
            source = self.source
            # A root may be the first today and the second tomorrow; its sessions stay who they are.
            file = structs.replace(self.file, project_id=source.project_id)
            self._fold = new_fold(file, source.source_id, piece.generation)
            at = TailState()
            while at.offset < piece.base:
                before = tail.read(self.file.path, at, limit=min(PIECE, piece.base - at.offset))
                if before.state.offset == at.offset:
                    break  # the file was cut short meanwhile: the next look begins it anew
                feed(self._fold, before, Rows())
                at = before.state
        return self._fold

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

    def _batch(self, begins: int, rows: Rows, fold: Fold, **about: bool) -> Batch:
        sessions, facts = fold.sessions(), fold.facts(sidecar(self.file))
        return rows.batch(self.source, begins, sessions=sessions, facts=facts, **about)


def sidecar(file: TranscriptFile) -> AgentMeta | None:
    """What lies beside an agent's transcript."""
    if not file.agent_id:
        return None
    data = read_whole(file.path.removesuffix(".jsonl") + ".meta.json", _LONGEST_SIDECAR)
    return agent_meta(data) if data else None


def feed(fold: Fold, piece: TailRead, rows: Rows) -> None:
    """Tell a fold the lines of a piece."""
    fold.feed(split_lines(piece.data, piece.base), rows)
    for place in piece.oversize:
        fold.feed_bad(place.offset, place.length, TOO_LONG, rows)


def _had_rest(source: SourceRow) -> bool:
    return source.size > source.offset
