"""Transcripts that are no longer on disk, read from the archive."""

import os
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from sys import maxsize

from msgspec.msgpack import Decoder
from msgspec.structs import replace

from unspool.decode.lines import decode, is_whole
from unspool.derive.transcript import Line as FoldLine
from unspool.engine.archive.reader import Archive, SessionOutputs
from unspool.engine.transcripts.bodies import Bodies
from unspool.engine.transcripts.reader import TranscriptReader
from unspool.model.files import LineSpan, Root, TailState, TranscriptFile
from unspool.model.message import LinkFacts
from unspool.model.rows import SourceRow
from unspool.model.sidecars import AgentMeta
from unspool.model.transcript import Oversize
from unspool.remote_paths import is_remote
from unspool.source.files import is_agent, is_gone, stat_file
from unspool.source.forgotten import is_forgotten
from unspool.source.session_files import main_place
from unspool.source.tail import Line, LineBuffer
from unspool.store import Store
from unspool.store.pack import unpacked

_STEP = 1024 * 1024
_facts = Decoder(LinkFacts)


class ArchivedTranscript(TranscriptReader):
    """Like one on disk, and grows with the archive.

    Its file is deleted, unreadable for now, or on another machine.
    """

    is_swept = True

    def __init__(self, file: TranscriptFile, source: SourceRow, store: Store) -> None:
        self._source = source
        self._store = store
        super().__init__(file)
        self._state = source.tail
        self._segments = SegmentLines(store, source)
        self._read_on()

    def _read_on(self) -> None:
        self._feed_lines(self._decoded(self._segments.read(self._source.offset)))
        self._take_last_line()

    def _take_last_line(self) -> bool:
        """Take in a last line that lacks only its newline, as the index does."""
        offset, length = self._source.offset, self._state.pending
        line = self.read(offset, length) if length and not self._provisional else b""
        if not is_whole(line):
            return False
        self._provisional = True
        self._feed_lines(self._decoded([(offset, line)]))
        return True

    def _decoded(self, found: Iterable[Line | LineSpan]) -> Iterator[FoldLine]:
        start = self.fold.start
        for line in found:
            if isinstance(line, LineSpan):
                yield line.offset, line.length, (Oversize(line.length),)
            else:
                start.feed(*line)
                yield line[0], len(line[1]), decode(line[1])

    @property
    def source_id(self) -> int:
        """The number that the store has given the file."""
        return self._source.source_id

    @property
    def is_deleted(self) -> bool:
        """Whether its file was deleted; of one of another machine, the store knows."""
        path = self.file.path
        return self._source.gone_at is not None if is_remote(path) else is_gone(path)

    def refresh(self, now: int) -> bool:
        """Read what is new in the archive; True if there was anything."""
        source = self._store.source(self._source.source_id)
        return source is not None and self.follow(source)

    def follow(self, source: SourceRow) -> bool:
        """Read up to where the index is now; True if there was anything."""
        before, self._source = self._source, source
        if source.tail == self._state:
            return self._take_last_line() or source.gone_at != before.gone_at
        if source.generation != self._state.generation or self._provisional:
            self.fold, self._provisional = self._begin(), False
            self._segments = SegmentLines(self._store, source)
        self._state = source.tail
        self._read_on()
        return True

    @contextmanager
    def bodies(self, outputs: SessionOutputs) -> Iterator[Bodies | None]:
        """Texts come from the archive too."""
        yield Bodies(self, self.fold, outputs)

    def read(self, offset: int, length: int) -> bytes:
        """Bytes at an offset; b"" if the archive is damaged."""
        source = self._source
        return self._store.raw(source.source_id, source.generation, offset, length) or b""


def read_archived_beginning(
    file: TranscriptFile, source: SourceRow, store: Store, messages: int, most: int
) -> ArchivedTranscript | None:
    """The beginning of a transcript; None where so many bytes do not hold so many messages."""

    def up_to(offset: int) -> SourceRow:
        state = TailState(offset=offset, generation=source.tail.generation)
        return replace(source, offset=offset, tail=state)

    transcript = ArchivedTranscript(file, up_to(0), store)
    for end in range(_STEP, most + 1, _STEP):
        transcript.follow(up_to(min(end, source.offset)))
        if transcript.fold.messages >= messages:
            return transcript
        if end >= source.offset:
            break
    return None


class ArchivedSessions:
    """Sessions of some roots whose files are deleted or elsewhere, as the archive has them."""

    def __init__(self, archive: Archive, roots: Sequence[Root]) -> None:
        self.store = archive.store
        self._archive = archive
        self._roots = {root.path: root for root in roots}

    def main(self, project_id: str, session_id: str) -> TranscriptFile | None:
        """The main transcript of a session, if it is only in the archive."""
        mains = (one for one in self._missing(project_id, session_id) if one.kind == "main")
        return next(map(self._named, mains), None)

    def agents_place(self, project_id: str, session_id: str) -> TranscriptFile | None:
        """Where its main transcript would be, if the archive alone has files of its agents."""
        missing = self._missing(project_id, session_id)
        agents = [one for one in missing if is_agent(one.kind)]
        if not agents:
            return None
        root, written = self._roots[agents[0].root], max(one.mtime_ns for one in agents)
        return main_place(root, project_id, session_id, written)

    def _missing(self, project_id: str, session_id: str) -> list[SourceRow]:
        """The files of a session that are only in the archive."""
        known = self.store.sources_of(project_id, session_id)
        return [one for one in known if self._is_ours(one) and _is_missing(one)]

    def mains(self) -> list[TranscriptFile]:
        """Main transcripts that are only in the archive."""
        known = (one for sources in self._sessions.values() for one in sources)
        return [self._named(one) for one in known if one.kind == "main" and _is_missing(one)]

    def agents_alone(self) -> Iterator[TranscriptFile]:
        """Where main transcripts would be of which only agents' files are archived."""
        for (root, project, session), sources in self._sessions.items():
            written = [one.mtime_ns for one in sources if is_agent(one.kind) and _is_missing(one)]
            place = main_place(self._roots[root], project, session, max(written, default=0))
            if written and place:
                yield place

    def transcript(self, file: TranscriptFile) -> ArchivedTranscript | None:
        """One file's transcript; None if it is not archived."""
        source = self._source(file)
        return ArchivedTranscript(self._named(source), source, self.store) if source else None

    def beginning(
        self, file: TranscriptFile, messages: int, most: int
    ) -> ArchivedTranscript | None:
        """Its first messages; None if it is not archived, or so many bytes hold fewer of them."""
        source = self._source(file)
        if source is None:
            return None
        named = self._named(source)
        return read_archived_beginning(named, source, self.store, messages, most)

    def _source(self, file: TranscriptFile) -> SourceRow | None:
        return next((one for one in self.sources(file) if _path(one) == file.path), None)

    def agents(
        self, sources: Iterable[SourceRow], known: Container[str] = ()
    ) -> Iterator[ArchivedTranscript]:
        """The agents among the `sources` of a session that are not `known`."""
        for source in sources:
            if is_agent(source.kind) and source.agent_id not in known:
                yield ArchivedTranscript(self._named(source), source, self._archive.store)

    def metas(self, file: TranscriptFile) -> dict[str, AgentMeta | None]:
        """What their sidecars said about the agents of a session."""
        kept = self._archive.store.facts(file.project_id, file.session_id or "")
        facts = [_facts.decode(packed) for packed in kept.values()]
        return {one.id: one.meta for one in facts}

    def lines(self, sources: Iterable[SourceRow], kind: str) -> Iterator[bytes]:
        """The lines of the journals or hook logs among the `sources` of a session."""
        for source in sources:
            if source.kind == kind:
                found = lines(self._archive.store, source)
                yield from (line[1] for line in found if not isinstance(line, LineSpan))

    def sources(self, file: TranscriptFile) -> list[SourceRow]:
        """The files of a session that are only in the archive, by its main transcript."""
        known = self.store.sources_of(file.project_id, file.session_id or "")
        mine = (one for one in known if one.root == file.root.path and one.offset)
        if is_forgotten(file.root, file.project_id, file.session_id):
            return []
        return [source for source in mine if _is_missing(source)]

    @cached_property
    def _sessions(self) -> dict[tuple[str, str, str], list[SourceRow]]:
        """Everything the archive holds of our roots, by session."""
        found: dict[tuple[str, str, str], list[SourceRow]] = {}
        for source in filter(self._is_ours, self._archive.sources().values()):
            name = source.root, source.project_id, source.session_id
            found.setdefault(name, []).append(source)
        return found

    def _is_ours(self, source: SourceRow) -> bool:
        """Whether it has lines, is of one of our roots, and was not forgotten."""
        root = self._roots.get(source.root)
        if root is None or not source.offset:
            return False
        if is_forgotten(root, source.project_id, source.session_id):
            return False
        return root.only is None or source.project_id == root.prefix + root.only

    def _named(self, source: SourceRow) -> TranscriptFile:
        return TranscriptFile(
            root=self._roots[source.root],
            path=_path(source),
            relpath=source.path,
            kind=source.kind,
            project_id=source.project_id,
            session_id=source.session_id,
            agent_id=source.agent_id or None,
            size=source.size,
            mtime_ns=source.mtime_ns,
            inode=source.tail.inode,
        )


def lines(store: Store, source: SourceRow) -> Iterator[Line | LineSpan]:
    """All whole lines of a source that are archived, also past its checkpoint."""
    return SegmentLines(store, source).read(maxsize)


class SegmentLines:
    """The whole lines of a source, read on as there are more; a damaged segment leaves a gap."""

    def __init__(self, store: Store, source: SourceRow) -> None:
        self._store, self._source = store, source
        self._buffer, self._end = LineBuffer(), 0

    def read(self, until: int) -> Iterator[Line | LineSpan]:
        """The lines before a checkpoint that were not read before.

        What is behind it may give way to other bytes.
        """
        source = self._source
        for segment in self._store.segments(source.source_id, source.generation, self._end):
            data, end = unpacked(segment), self._end
            if segment.offset >= until:
                return
            if data is None or segment.end <= end:
                continue
            if segment.offset > end:
                self._buffer = LineBuffer(segment.offset)
            self._end = min(segment.end, until)
            begins = max(end - segment.offset, 0)
            yield from self._buffer.feed(data[begins : until - segment.offset])


def _is_missing(source: SourceRow) -> bool:
    return stat_file(_path(source)) is None


def _path(source: SourceRow) -> str:
    return os.path.join(source.root, source.path)
