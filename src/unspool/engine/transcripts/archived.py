"""Transcripts that are no longer on disk, read from the archive."""

import os
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from msgspec.msgpack import Decoder

from unspool.decode.lines import decode
from unspool.derive.transcript import Line as FoldLine
from unspool.engine.archive.reader import Archive, SessionOutputs
from unspool.engine.transcripts.bodies import Bodies
from unspool.engine.transcripts.reader import TranscriptReader
from unspool.model.files import LineSpan, Root, TranscriptFile
from unspool.model.message import LinkFacts
from unspool.model.rows import SourceRow
from unspool.model.sidecars import AgentMeta
from unspool.model.transcript import Oversize
from unspool.source.files import is_agent, stat_file
from unspool.source.forgotten import is_forgotten
from unspool.source.session_files import main_place
from unspool.source.tail import Line, LineBuffer
from unspool.store import Store
from unspool.store.pack import unpacked

_facts = Decoder(LinkFacts)


class ArchivedTranscript(TranscriptReader):
    """Like one on disk, and grows with the archive.

    Its file is deleted, unreadable for now, or on another machine.
    """

    is_swept = True

    def __init__(self, file: TranscriptFile, source: SourceRow, store: Store) -> None:
        super().__init__(file)
        self._source = source
        self._store = store
        self._state = source.tail
        self._segments = SegmentLines(store, source)
        self._feed_lines(self._decoded(self._segments.read()))

    def _decoded(self, found: Iterable[Line | LineSpan]) -> Iterator[FoldLine]:
        start = self.fold.start
        for line in found:
            if isinstance(line, LineSpan):
                yield line.offset, line.length, (Oversize(line.length),)
            else:
                start.feed(*line)
                yield line[0], len(line[1]), decode(line[1])

    def refresh(self, now: int) -> bool:
        """Read what is new in the archive; True if there was anything."""
        source = self._store.source(self._source.source_id)
        if source is None or source.tail == self._state:
            return False
        if source.generation != self._state.generation:
            self.fold = self._begin()
            self._segments = SegmentLines(self._store, source)
        self._source, self._state = source, source.tail
        self._feed_lines(self._decoded(self._segments.read()))
        return True

    @contextmanager
    def bodies(self, outputs: SessionOutputs) -> Iterator[Bodies | None]:
        """Texts come from the archive too."""
        yield Bodies(self, self.fold, outputs)

    def read(self, offset: int, length: int) -> bytes:
        """Bytes at an offset; b"" if the archive is damaged."""
        source = self._source
        return self._store.raw(source.source_id, source.generation, offset, length) or b""


class ArchivedSessions:
    """Sessions of some roots whose files are deleted, as the archive has them."""

    def __init__(self, archive: Archive, roots: Sequence[Root]) -> None:
        self.store = archive.store
        self._archive = archive
        self._roots = {root.path: root for root in roots}

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
        for source in self._of(file):
            if _path(source) == file.path:
                return ArchivedTranscript(self._named(source), source, self._archive.store)
        return None

    def agents(
        self, file: TranscriptFile, known: Container[str] = ()
    ) -> Iterator[ArchivedTranscript]:
        """The agents of a session that are only in the archive, and not `known`."""
        for source in self._of(file):
            if is_agent(source.kind) and source.agent_id not in known:
                yield ArchivedTranscript(self._named(source), source, self._archive.store)

    def metas(self, file: TranscriptFile) -> dict[str, AgentMeta | None]:
        """What their sidecars said about the agents of a session."""
        kept = self._archive.store.facts(file.project_id, file.session_id or "")
        facts = [_facts.decode(packed) for packed in kept.values()]
        return {one.id: one.meta for one in facts}

    def lines(self, file: TranscriptFile, kind: str) -> Iterator[bytes]:
        """The lines of a session's journals or hook logs that are only in the archive."""
        for source in self._of(file):
            if source.kind == kind:
                found = lines(self._archive.store, source)
                yield from (line[1] for line in found if not isinstance(line, LineSpan))

    def _of(self, file: TranscriptFile) -> list[SourceRow]:
        known = self.store.sources_of(file.project_id, file.session_id or "")
        mine = (one for one in known if one.root == file.root.path and one.offset)
        if is_forgotten(file.root, file.project_id, file.session_id):
            return []
        return [source for source in mine if _is_missing(source)]

    @cached_property
    def _sessions(self) -> dict[tuple[str, str, str], list[SourceRow]]:
        """Everything the archive holds of our roots, by session."""
        found: dict[tuple[str, str, str], list[SourceRow]] = {}
        for source in self._archive.sources().values():
            root = self._roots.get(source.root)
            if root is None or not source.offset:
                continue
            if is_forgotten(root, source.project_id, source.session_id):
                continue
            if root.only is None or source.project_id == root.prefix + root.only:
                name = source.root, source.project_id, source.session_id
                found.setdefault(name, []).append(source)
        return found

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
    """All whole lines of a source."""
    return SegmentLines(store, source).read()


class SegmentLines:
    """The whole lines of a source, read on as there are more; a damaged segment leaves a gap."""

    def __init__(self, store: Store, source: SourceRow) -> None:
        self._store, self._source = store, source
        self._buffer, self._end = LineBuffer(), 0

    def read(self) -> Iterator[Line | LineSpan]:
        """The lines that were not read before."""
        source = self._source
        for segment in self._store.segments(source.source_id, source.generation, self._end):
            data, end = unpacked(segment), self._end
            if data is None or segment.end <= end:
                continue
            if segment.offset > end:
                self._buffer = LineBuffer(segment.offset)
            self._end = segment.end
            yield from self._buffer.feed(data[max(end - segment.offset, 0) :])


def _is_missing(source: SourceRow) -> bool:
    return stat_file(_path(source)) is None


def _path(source: SourceRow) -> str:
    return os.path.join(source.root, source.path)
