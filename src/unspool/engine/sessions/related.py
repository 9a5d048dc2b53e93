"""Related sessions: plan and implementation, forks, and what a transcript says about them."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import Lock
from typing import Final, NamedTuple

from msgspec import Struct, structs

from unspool.derive.plans import PlanFacts, link_plans
from unspool.derive.story.threads import Lineage, forks
from unspool.derive.ties import offered, slug_ties, wanted
from unspool.derive.transcript import TranscriptFold
from unspool.engine.transcripts.archived import ArchivedSessions
from unspool.engine.transcripts.reader import decode_lines, open_transcript
from unspool.errors import StoreError, UnspoolError
from unspool.model.document import SessionLink, SessionLinks
from unspool.model.files import Root, TailState, TranscriptFile
from unspool.model.query import SessionQuery
from unspool.source import tail
from unspool.source.files import classify, stat_file
from unspool.source.safe_open import read_at
from unspool.source.session_files import find_session, main_files, transcript_at
from unspool.store import Store

# Most sessions say their first prompt in a few lines; the others are read on in longer steps.
_STEP: Final = 8 * 1024
_MOST: Final = 8 * 1024 * 1024
_SLUG_BYTES: Final = 256 * 1024
_SLUG: Final = re.compile(rb'"slug":"([^"\\\n]{1,128})"')


class RelationFacts(Struct, frozen=True):
    """What may link a session to others."""

    plan: PlanFacts
    lineage: Lineage
    offered: tuple[int, ...]
    wanted: tuple[int, ...]


def relation_facts(file: TranscriptFile, fold: TranscriptFold) -> RelationFacts:
    """The facts of a transcript, as far as it has been read."""
    about, id = fold.known(), file.session_id or ""
    return RelationFacts(
        PlanFacts(
            id=id,
            project_id=file.project_id,
            slug=about.slug,
            first_text=about.opening,
            start=about.start,
            has_exit_plan=about.has_exit_plan,
            plan_at=about.plan_at,
            planned_in=about.planned_in,
        ),
        Lineage(id, fold.threads.originals(), about.forked_from, about.start),
        offered(about),
        wanted(about, id),
    )


def read_start(file: TranscriptFile) -> RelationFacts:
    """Read up to the first prompt. The slug may come later: a pattern finds it."""
    facts = relation_facts(file, _first_lines(file))
    if facts.plan.slug:
        return facts
    found = _SLUG.search(read_at(file.path, 0, _SLUG_BYTES))
    slug = found[1].decode("utf-8", "replace") if found else ""
    return structs.replace(
        facts,
        plan=structs.replace(facts.plan, slug=slug),
        offered=(*facts.offered, *slug_ties(slug)),
    )


def read_all(file: TranscriptFile) -> RelationFacts:
    """Read the whole transcript."""
    return relation_facts(file, open_transcript(file, 0).fold)


class _Known(NamedTuple):
    file: TranscriptFile
    facts: RelationFacts


class RelatedSessions:
    """Finds sessions related to one by the index; files that it does not know are looked at."""

    def __init__(
        self,
        roots: Sequence[Root],
        store: Store | None = None,
        archived: Callable[[], ArchivedSessions] | None = None,
    ) -> None:
        self._roots, self._store, self._archived = roots, store, archived
        self._known: dict[str, _Known] = {}  # by path
        self._tied: dict[int, dict[str, None]] = {}  # paths
        self._readings: dict[str, _Known] = {}

    def links(
        self, file: TranscriptFile, own: RelationFacts, resumed_from: str = ""
    ) -> SessionLinks:
        """The links of a session to others, each with a confidence."""
        self.scan(file.root)
        related = [own, *self._related(file, own)]
        id = own.plan.id
        copied = forks([one.lineage for one in related])
        return structs.replace(
            link_plans([one.plan for one in related]).get(id, SessionLinks()),
            forked_from=copied.get(id),
            forks=tuple(
                structs.replace(tie, session_id=other)
                for other, tie in copied.items()
                if tie.session_id == id
            ),
            resumed_from=SessionLink(resumed_from, 1.0, "its first lines carry that session's id")
            if resumed_from
            else None,
        )

    def scan(self, root: Root) -> None:
        """Read the start of files that the index does not know as they are now.

        They are those of all roots, or of the given one if there are no others.
        """
        files = (file for each in self._roots or [root] for file in main_files(each))
        indexed = self._indexed()
        seen = {
            file.path: file
            for file in files
            if indexed.get(file.path) != (file.size, file.mtime_ns)
        }
        for path in self._known.keys() - seen.keys():
            self._forget(path)
        for path, file in seen.items():
            known = self._known.get(path)
            if known is None or known.file.mtime_ns != file.mtime_ns:
                self._forget(path)
                facts = _read(read_start, file)
                if facts is not None:
                    self._known[path] = _Known(file, facts)
                    for tie in facts.offered:
                        self._tied.setdefault(tie, {})[path] = None

    def _indexed(self) -> dict[str, tuple[int, int]]:
        """Size and time of each file that the index knows, by path."""
        if self._store is None:
            return {}
        try:
            states = self._store.file_states()
        except StoreError:
            return {}
        return {os.path.join(root, path): (size, mtime) for root, path, size, mtime in states}

    def _related(self, file: TranscriptFile, own: RelationFacts) -> Iterator[RelationFacts]:
        roots = self._roots or [file.root]
        paths = {path for tie in own.wanted for path in self._tied.get(tie, ())}
        if self._store is not None:
            with suppress(StoreError):
                paths.update(self._store.related(own.wanted))
        if own.plan.planned_in:
            paths.update(self._planned_in(roots, own.plan.planned_in))
        for path in sorted(paths - {file.path}):
            found = transcript_at(roots, path) or self._archived_at(path)
            facts = self._reading(found) if found else None
            if facts is not None:
                yield facts

    def _archived_at(self, path: str) -> TranscriptFile | None:
        """The transcript that was at a path, or that another machine has there."""
        if self._archived is None:
            return None
        for root in self._roots:
            found = classify(root, path)
            if found and found.session_id:
                return self._archived().main(found.project_id, found.session_id)
        return None

    def _planned_in(self, roots: Sequence[Root], session_id: str) -> Iterator[str]:
        """The transcript of the session that made the plan."""
        with suppress(UnspoolError):
            yield find_session(roots, session_id).path
            return
        if self._archived is not None and self._store is not None:
            query = SessionQuery(id=session_id, everything=True, limit=1)
            yield from (row.transcript_path for row in self._store.sessions(query))

    def _read_all(self, file: TranscriptFile) -> RelationFacts:
        archived = None if stat_file(file.path) else self._archived
        transcript = archived().transcript(file) if archived else None
        return relation_facts(file, transcript.fold) if transcript else read_all(file)

    def _reading(self, file: TranscriptFile) -> RelationFacts | None:
        known = self._readings.get(file.path)
        if known is None or known.file.mtime_ns != file.mtime_ns:
            facts = _read(self._read_all, file)
            if facts is None:
                return None
            known = self._readings[file.path] = _Known(file, facts)
        return known.facts

    def _forget(self, path: str) -> None:
        known = self._known.pop(path, None)
        for tie in known.facts.offered if known else ():
            self._tied[tie].pop(path, None)
            if not self._tied[tie]:
                del self._tied[tie]


class IndexedRelatedSessions(RelatedSessions):
    """For a server, whose index is kept up to date: nothing else is looked at."""

    def __init__(
        self,
        roots: Sequence[Root],
        store: Store,
        archived: Callable[[], ArchivedSessions] | None = None,
    ) -> None:
        super().__init__(roots, store, archived)
        self._lock = Lock()

    def links(
        self, file: TranscriptFile, own: RelationFacts, resumed_from: str = ""
    ) -> SessionLinks:
        """The links of a session to others that are in the index."""
        with self._lock:
            return super().links(file, own, resumed_from)

    def scan(self, root: Root) -> None:
        """Nothing: the index has it."""


class NoRelatedSessions(RelatedSessions):
    """For a session of which only the beginning is read: nothing is scanned."""

    def links(
        self, file: TranscriptFile, own: RelationFacts, resumed_from: str = ""
    ) -> SessionLinks:
        """No links."""
        return SessionLinks()


def _read(
    how: Callable[[TranscriptFile], RelationFacts], file: TranscriptFile
) -> RelationFacts | None:
    try:
        return how(file)
    except UnspoolError:
        return None


def _first_lines(file: TranscriptFile) -> TranscriptFold:
    fold = TranscriptFold(file.session_id or "", path=file.path)
    state, step = TailState(), _STEP
    while state.offset < _MOST:
        piece = tail.read(file.path, state, limit=step)
        fold.feed_all(decode_lines(piece))
        if not piece.more or fold.known().opening:
            break
        state, step = piece.state, step * 2
    return fold
