"""A session and the others around it -> its links: plan and implementation, forks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import structs

from unspool.derive.plans import NO_SLUGS, link_plans
from unspool.derive.story.threads import forks
from unspool.engine.heads import Head, glance, reading
from unspool.errors import UnspoolError
from unspool.model.document import SessionLink, SessionLinks
from unspool.model.files import Root, TranscriptFile
from unspool.source.session_files import main_files

# What two sessions may have in common: a kind, and a name of it.
Tie: TypeAlias = tuple[str, str]


class _Known(NamedTuple):
    file: TranscriptFile
    head: Head


class Neighbours:
    """Glances at every other session and reads those that are related, each once it changed."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._roots = roots
        self._known: dict[str, _Known] = {}  # by path
        self._tied: dict[Tie, dict[str, None]] = {}  # paths
        self._readings: dict[str, _Known] = {}

    def links(self, file: TranscriptFile, own: Head, resumed_from: str = "") -> SessionLinks:
        """What ties a session to others of its root, and how sure that is."""
        self.look_around(file.root)
        return self.known_links(file, own, resumed_from)

    def look_around(self, root: Root) -> None:
        """Glance at what is new in all roots, or in the one given where there are none."""
        files = (file for each in self._roots or [root] for file in main_files(each))
        seen = {file.path: file for file in files}
        for path in self._known.keys() - seen.keys():
            self._forget(path)
        for path, file in seen.items():
            known = self._known.get(path)
            if known is None or known.file.mtime_ns != file.mtime_ns:
                self._forget(path)
                head = _read(glance, file)
                if head is not None:
                    self._note(_Known(file, head))

    def known_links(self, file: TranscriptFile, own: Head, resumed_from: str = "") -> SessionLinks:
        """The same, among the sessions that were seen when somebody last looked around."""
        heads = [own, *self._related(file, own)]
        id = own.plan.id
        copied = forks([head.lineage for head in heads])
        return structs.replace(
            link_plans([head.plan for head in heads]).get(id, SessionLinks()),
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

    def _related(self, file: TranscriptFile, own: Head) -> Iterator[Head]:
        paths = {path for tie in _wanted(own) for path in self._tied.get(tie, ())}
        for path in sorted(paths - {file.path}):
            head = self._reading(self._known[path].file)
            if head is not None:
                yield head

    def _reading(self, file: TranscriptFile) -> Head | None:
        known = self._readings.get(file.path)
        if known is None or known.file.mtime_ns != file.mtime_ns:
            head = _read(reading, file)
            if head is None:
                return None
            known = self._readings[file.path] = _Known(file, head)
        return known.head

    def _note(self, new: _Known) -> None:
        self._known[new.file.path] = new
        for tie in _offered(new.head):
            self._tied.setdefault(tie, {})[new.file.path] = None

    def _forget(self, path: str) -> None:
        known = self._known.pop(path, None)
        self._readings.pop(path, None)
        for tie in _offered(known.head) if known else ():
            paths = self._tied[tie]
            paths.pop(path, None)
            if not paths:
                del self._tied[tie]


def _offered(head: Head) -> Iterable[Tie]:
    """What others may be tied to a session by."""
    plan, lineage = head.plan, head.lineage
    yield "id", plan.id
    yield "plan", plan.planned_in
    yield "fork", lineage.forked_from
    yield "slug", plan.slug
    yield from {("line", line) for line in lineage.originals}


def _wanted(own: Head) -> Iterable[Tie]:
    """What ties others to this session: without one of these no link is possible."""
    plan = own.plan
    yield from (("plan", plan.id), ("fork", plan.id), ("id", plan.planned_in))
    if plan.slug not in NO_SLUGS:
        yield "slug", plan.slug
    yield from (("line", line) for line in own.lineage.originals)


def _read(how: Callable[[TranscriptFile], Head], file: TranscriptFile) -> Head | None:
    try:
        return how(file)
    except UnspoolError:
        return None
