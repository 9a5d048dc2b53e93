"""One transcript file on disk and the fold of all its lines, kept in step."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TypeAlias

from unspool.decode.lines import decode, is_whole
from unspool.derive.fold_state import unpack
from unspool.derive.transcript import Line, Record, TranscriptFold, Views, batched
from unspool.derive.usage.file_usage import FileUsage
from unspool.engine.archive.reader import SessionOutputs
from unspool.engine.ids import source_id
from unspool.engine.transcripts.bodies import Bodies, bodies
from unspool.model.files import TailRead, TailState, TranscriptFile
from unspool.model.rows import SourceRow
from unspool.model.transcript import Oversize
from unspool.source import tail
from unspool.source.claude_code import MAX_LINE_BYTES, QUIET_MS
from unspool.source.files import is_agent
from unspool.source.safe_open import read_at
from unspool.source.tail import split_lines
from unspool.store import Store

# As much is asked for as there may be: room for more takes time, even if nothing is put there.
# And no more than stays near the processor: every byte is looked at several times.
_LEAST, _MOST = 8 * 1024, 1024 * 1024

# Called with what each batch of lines brought.
Listener: TypeAlias = Callable[[Sequence[Record]], object]


class TranscriptReader:
    """Reads on where it stopped; starts over when the file is another one than before."""

    is_swept = False

    def __init__(
        self,
        file: TranscriptFile,
        *,
        views: Views = Views.PAGE,
        listener: Listener | None = None,
        max_line: int = MAX_LINE_BYTES,
    ) -> None:
        self.file = file
        self._views = views
        self._listener = listener
        self.fold = self._begin()
        self.is_gone = False
        self._max_line = max_line
        self._state = TailState()
        self._is_proven = True  # nobody but this reader has read what is before the state
        self._provisional = False
        self._uuids: Callable[[], Iterable[tuple[str, str]]] | None = None  # not yet asked for

    def _begin(self) -> TranscriptFold:
        file = self.file
        kind = file.kind if is_agent(file.kind) else "main"
        session, agent = file.session_id or "", file.agent_id or ""
        # A response without an id goes by its place, as the index has it.
        usage = FileUsage(session, agent, source=self.source_id)
        views = self._views
        return TranscriptFold(session, agent, path=file.path, kind=kind, views=views, usage=usage)

    def resume(self, store: Store, source: SourceRow) -> bool:
        """Go on from what the index has of the file; False where it has to be read."""
        id, generation = source.source_id, source.generation
        offset, packed = store.fold_state(id, generation) or (0, b"")
        state = unpack(packed) if 0 < offset <= source.offset else None
        if state is None:
            return False
        self.fold.resume(state, ())
        # What the index has read may have been edited since, while nobody looked.
        self._state, self._is_proven = source.tail, False
        self._uuids = lambda: store.message_uuids(id, generation, offset)
        if self.fold.about.asks_for_uuids:
            self._load_uuids()
        if offset < source.offset:
            data = read_at(self.file.path, offset, source.offset - offset)
            self._feed(TailRead(source.tail, generation, offset, data))
        return True

    def _load_uuids(self) -> None:
        if self._uuids is not None:
            self.fold.add_uuids(self._uuids())
            self._uuids = None

    def drop_story(self) -> None:
        """Forget what only a page shows."""
        self._views &= ~Views.STORY
        self.fold.drop_story()

    @property
    def source_id(self) -> int:
        """The number that the index has for the file, if it knows it."""
        return source_id(self.file.root.path, self.file.relpath)

    @property
    def is_deleted(self) -> bool:
        """Whether it is read from the archive because its file was deleted."""
        return False

    @property
    def generation(self) -> int:
        """Goes up when the file was rewritten, cut or replaced."""
        return self._state.generation

    @property
    def last_write(self) -> int:
        """When the file was last written, in milliseconds."""
        return self._state.mtime_ns // 1_000_000

    @property
    def size(self) -> int:
        """How long the file was when it was last looked at."""
        return self._state.size_seen

    @property
    def is_unfinished(self) -> bool:
        """Whether the last line has no end yet, and was not taken in."""
        return bool(self._state.pending) and not self._provisional

    def has_all(self, found: TranscriptFile) -> bool:
        """Whether a look at the directory shows that nothing was written since."""
        state = self._state
        seen = (state.size_seen, state.mtime_ns, state.inode)
        return not state.pending and seen == (found.size, found.mtime_ns, found.inode)

    def refresh(self, now: int) -> bool:
        """Take in what was written since; True where anything changed."""
        changed = False
        window = min(max(self.file.size - self._state.offset, _LEAST), _MOST)
        while True:
            piece = tail.read(
                self.file.path,
                self._state,
                limit=window,
                max_line=self._max_line,
                is_proven=self._is_proven,
            )
            self.is_gone = piece.gone
            if piece.gone:
                return changed
            self._is_proven = True
            grew = bool(piece.data or piece.oversize)
            if piece.reset or (self._provisional and (grew or self._moved(piece))):
                changed |= self._restart(piece.reset)
                if not piece.reset:
                    continue
            self._state = piece.state
            self._feed(piece)
            changed |= grew
            if not piece.more or not grew:
                break
            window = min(window * 8, _MOST)
        return self._take_unfinished(now) or changed

    def read_on(self) -> bool:
        """Take in one piece of a file that was not read before; whether there is more of it."""
        piece = tail.read(self.file.path, self._state, limit=_MOST, max_line=self._max_line)
        self.is_gone = piece.gone
        if not piece.gone:
            self._state = piece.state
            self._feed(piece)
        return piece.more and not piece.gone

    def bodies(self, outputs: SessionOutputs) -> AbstractContextManager[Bodies | None]:
        """A way back to its texts; None where the file is gone by now."""
        return bodies(self.file.path, self.fold, outputs)

    def _moved(self, piece: TailRead) -> bool:
        now, then = piece.state, self._state
        return (now.pending, now.mtime_ns) != (then.pending, then.mtime_ns)

    def _restart(self, reset: bool) -> bool:
        """Forget all: the file is another, or its last line was taken before it was whole."""
        self.fold = self._begin()
        self._provisional = False
        self._uuids = None
        if not reset:
            self._state = TailState(generation=self._state.generation)
        return True

    def _feed(self, piece: TailRead) -> None:
        self.fold.start.feed_lines(piece.base, piece.data)
        self._feed_lines(decode_lines(piece))
        oversize = ((one.offset, one.length, (Oversize(one.length),)) for one in piece.oversize)
        self._feed_lines(oversize)

    def _feed_lines(self, lines: Iterable[Line]) -> None:
        for some in batched(lines):
            self._load_uuids()
            delta = self.fold.feed(some)
            if self._listener is not None:
                self._listener(delta.records)

    def _take_unfinished(self, now: int) -> bool:
        state = self._state
        if not state.pending or self._provisional or now - self.last_write < QUIET_MS:
            return False
        line = tail.unfinished_line(self.file.path, state, max_line=self._max_line)
        if line is None or not is_whole(line):
            return False
        self._provisional = True
        self.fold.start.feed(state.offset, line)
        self._feed_lines([(state.offset, len(line), decode(line))])
        return True


def decode_lines(piece: TailRead) -> Iterator[Line]:
    """The whole lines of a piece, each with its place and its entries."""
    for offset, line in split_lines(piece.data, piece.base):
        yield offset, len(line), decode(line)


def read_beginning(file: TranscriptFile, messages: int, most: int) -> TranscriptReader | None:
    """The beginning of a transcript; None where so many bytes do not hold so many messages."""
    transcript = TranscriptReader(file)
    for _ in range(most // _MOST):
        is_more = transcript.read_on()
        if transcript.fold.messages >= messages:
            return transcript
        if not is_more:
            break
    return None


def open_transcript(file: TranscriptFile, now: int) -> TranscriptReader:
    """Read a transcript from its start; a missing file has no lines."""
    transcript = TranscriptReader(file)
    transcript.refresh(now)
    return transcript
