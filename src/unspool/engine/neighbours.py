"""A session and the others around it -> its links: plan and implementation, forks."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import structs

from unspool.derive.plans import NO_SLUGS, link_plans
from unspool.derive.story.threads import forks
from unspool.engine.heads import Head, glance, reading
from unspool.errors import UnspoolError
from unspool.model.document import SessionLink, SessionLinks
from unspool.model.files import Root, TranscriptFile
from unspool.source.session_files import main_files


class Neighbours:
    """Glances at every other session and reads its kin, each again only when its file changed."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._roots = roots
        self._glances: dict[str, tuple[int, Head]] = {}
        self._readings: dict[str, tuple[int, Head]] = {}

    def links(self, file: TranscriptFile, own: Head, resumed_from: str = "") -> SessionLinks:
        """What ties a session to others of its root, and how sure that is."""
        heads = [own, *self._kin(file, own)]
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

    def _kin(self, file: TranscriptFile, own: Head) -> Iterator[Head]:
        for other in self._others(file):
            head = _kept(self._glances, other, glance)
            if head is not None and _are_kin(own, head):
                head = _kept(self._readings, other, reading)
                if head is not None:
                    yield head

    def _others(self, file: TranscriptFile) -> Iterable[TranscriptFile]:
        for root in self._roots or [file.root]:
            yield from (one for one in main_files(root) if one.path != file.path)


def _kept(
    kept: dict[str, tuple[int, Head]],
    file: TranscriptFile,
    read: Callable[[TranscriptFile], Head],
) -> Head | None:
    known = kept.get(file.path)
    if known is not None and known[0] == file.mtime_ns:
        return known[1]
    try:
        head = read(file)
    except UnspoolError:
        return None
    kept[file.path] = file.mtime_ns, head
    return head


def _are_kin(own: Head, other: Head) -> bool:
    """Whether a link between the two is possible at all."""
    ours, theirs = own.plan, other.plan
    return (
        (ours.slug == theirs.slug and ours.slug not in NO_SLUGS)
        or ours.planned_in == theirs.id
        or ours.id in (theirs.planned_in, other.lineage.forked_from)
        or not own.lineage.originals.isdisjoint(other.lineage.originals)
    )
