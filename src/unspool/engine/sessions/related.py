"""Related sessions: plan and implementation, forks, and what a transcript says about them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct, structs

from unspool.derive.plans import NO_SLUGS, PlanFacts, link_plans
from unspool.derive.story.threads import Lineage, forks
from unspool.derive.transcript import TranscriptFold
from unspool.engine.transcripts.reader import decode_lines, open_transcript
from unspool.errors import UnspoolError
from unspool.model.document import SessionLink, SessionLinks
from unspool.model.files import Root, TailState, TranscriptFile
from unspool.source import tail
from unspool.source.safe_open import read_at
from unspool.source.session_files import main_files

# Most sessions say their first prompt in a few lines; the others are read on in longer steps.
_STEP: Final = 8 * 1024
_MOST: Final = 8 * 1024 * 1024
_SLUG_BYTES: Final = 256 * 1024
_SLUG: Final = re.compile(rb'"slug":"([^"\\\n]{1,128})"')
# Scans of all sessions take at most a hundredth of the time while many are being written.
_SHARE: Final = 100.0
_QUICK: Final = 0.01

# What two sessions may have in common: a kind, and a name of it.
Tie: TypeAlias = tuple[str, str]
Key = TypeVar("Key")


class RelationFacts(Struct, frozen=True):
    """What may link a session to others."""

    plan: PlanFacts
    lineage: Lineage


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
    )


def read_start(file: TranscriptFile) -> RelationFacts:
    """Read up to the first prompt. The slug may come later: a pattern finds it."""
    facts = relation_facts(file, _first_lines(file))
    if facts.plan.slug:
        return facts
    found = _SLUG.search(read_at(file.path, 0, _SLUG_BYTES))
    slug = found[1].decode("utf-8", "replace") if found else ""
    return structs.replace(facts, plan=structs.replace(facts.plan, slug=slug))


def read_all(file: TranscriptFile) -> RelationFacts:
    """Read the whole transcript."""
    return relation_facts(file, open_transcript(file, 0).fold)


class _Known(NamedTuple):
    file: TranscriptFile
    facts: RelationFacts


class RelatedSessions:
    """Reads the start of every session, and all of a related one, again when its file changes."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._roots = roots
        self._known: dict[str, _Known] = {}  # by path
        self._tied: dict[Tie, dict[str, None]] = {}  # paths
        self._lines: dict[str, dict[str, None]] = {}  # paths by the lines they begin with
        self._readings: dict[str, _Known] = {}

    def links(
        self, file: TranscriptFile, own: RelationFacts, resumed_from: str = ""
    ) -> SessionLinks:
        """The links of a session to others of its root, each with a confidence."""
        self.scan(file.root)
        return self.known_links(file, own, resumed_from)

    def scan(self, root: Root) -> None:
        """Read the start of new files in all roots, or in the given one if there are no others."""
        files = (file for each in self._roots or [root] for file in main_files(each))
        seen = {file.path: file for file in files}
        for path in self._known.keys() - seen.keys():
            self._forget(path)
        for path, file in seen.items():
            known = self._known.get(path)
            if known is None or known.file.mtime_ns != file.mtime_ns:
                self._forget(path)
                facts = _read(read_start, file)
                if facts is not None:
                    self._note(_Known(file, facts))

    def known_links(
        self, file: TranscriptFile, own: RelationFacts, resumed_from: str = ""
    ) -> SessionLinks:
        """The same, among the sessions of the last scan."""
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

    def _related(self, file: TranscriptFile, own: RelationFacts) -> Iterator[RelationFacts]:
        paths = {path for tie in _wanted(own) for path in self._tied.get(tie, ())}
        # A long session has many lines: they are compared at once, not one by one.
        same = self._lines.keys() & own.lineage.originals
        paths |= {path for line in same for path in self._lines[line]}
        for path in sorted(paths - {file.path}):
            facts = self._reading(self._known[path].file)
            if facts is not None:
                yield facts

    def _reading(self, file: TranscriptFile) -> RelationFacts | None:
        known = self._readings.get(file.path)
        if known is None or known.file.mtime_ns != file.mtime_ns:
            facts = _read(read_all, file)
            if facts is None:
                return None
            known = self._readings[file.path] = _Known(file, facts)
        return known.facts

    def _note(self, new: _Known) -> None:
        self._known[new.file.path] = new
        for tie in _offered(new.facts):
            self._tied.setdefault(tie, {})[new.file.path] = None
        for line in new.facts.lineage.originals:
            self._lines.setdefault(line, {})[new.file.path] = None

    def _forget(self, path: str) -> None:
        known = self._known.pop(path, None)
        self._readings.pop(path, None)
        for tie in _offered(known.facts) if known else ():
            _remove(self._tied, tie, path)
        for line in known.facts.lineage.originals if known else ():
            _remove(self._lines, line, path)


class SharedRelatedSessions(RelatedSessions):
    """For many readers: one scans at a time, and the longer a scan takes the rarer it is."""

    def __init__(self, roots: Sequence[Root], clock: Callable[[], float] = monotonic) -> None:
        super().__init__(roots)
        self._lock, self._clock = Lock(), clock
        self._until = 0.0

    def links(
        self, file: TranscriptFile, own: RelationFacts, resumed_from: str = ""
    ) -> SessionLinks:
        """The links of a session as of the last scan."""
        with self._lock:
            begun = self._clock()
            if begun >= self._until:
                self.scan(file.root)
                done = self._clock()
                self._until = done + _SHARE * max(done - begun - _QUICK, 0.0)
            return self.known_links(file, own, resumed_from)


class NoRelatedSessions(RelatedSessions):
    """For a session of which only the beginning is read: nothing is scanned."""

    def links(
        self, file: TranscriptFile, own: RelationFacts, resumed_from: str = ""
    ) -> SessionLinks:
        """No links."""
        return SessionLinks()


def _remove(index: dict[Key, dict[str, None]], key: Key, path: str) -> None:
    index[key].pop(path, None)
    if not index[key]:
        del index[key]


def _offered(facts: RelationFacts) -> Iterable[Tie]:
    """What other sessions may refer to."""
    plan, lineage = facts.plan, facts.lineage
    yield "id", plan.id
    yield "plan", plan.planned_in
    yield "fork", lineage.forked_from
    yield "slug", plan.slug


def _wanted(own: RelationFacts) -> Iterable[Tie]:
    """What a related session must have in common with this one."""
    plan = own.plan
    yield from (("plan", plan.id), ("fork", plan.id), ("id", plan.planned_in))
    if plan.slug not in NO_SLUGS:
        yield "slug", plan.slug


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
