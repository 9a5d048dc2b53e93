"""A session and the others around it -> its links: plan and implementation, forks."""

from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from unspool.decode.lines import decode
from unspool.derive.about import About
from unspool.derive.plans import PlanFacts, link
from unspool.derive.session import SessionFold
from unspool.derive.story.threads import Lineage, forks
from unspool.errors import UnspoolError
from unspool.model.document import Links, SessionLink
from unspool.model.files import Root, TailState, TranscriptFile
from unspool.source import tail
from unspool.source.layout import Walk
from unspool.source.lines import scan

# Enough of a neighbour to know its first prompt; most say it in their first few lines.
_STEP = 64 * 1024
_MOST = 8 * 1024 * 1024


class Head(Struct, frozen=True):
    """What the first lines of a session say."""

    plan: PlanFacts
    lineage: Lineage


class Neighbours:
    """Reads the heads of other sessions, each again only when its file has changed."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._roots = roots
        self._heads: dict[str, tuple[int, Head]] = {}

    def links(self, file: TranscriptFile, fold: SessionFold) -> Links:
        """What ties a session to others of its root, and how sure that is."""
        about = fold.known()
        own = _head(file, about, fold.threads.originals())
        others = [self._head(one) for one in self._others(file)]
        heads = [own, *(head for head in others if head is not None)]
        planned = link([head.plan for head in heads]).get(own.plan.id, Links())
        copied = forks([head.lineage for head in heads])
        return structs.replace(
            planned,
            forked_from=copied.get(own.plan.id) or _named(about.forked_from, "forkedFrom"),
            forks=tuple(
                structs.replace(tie, session_id=id)
                for id, tie in copied.items()
                if tie.session_id == own.plan.id
            ),
            resumed_from=_named(about.resumed_from, "its first lines carry that session's id"),
        )

    def _others(self, file: TranscriptFile) -> Iterable[TranscriptFile]:
        roots = self._roots or [file.root]
        for root in roots:
            walk = Walk(root)
            for project in walk.projects():
                yield from (one for one in walk.mains(project) if one.path != file.path)

    def _head(self, file: TranscriptFile) -> Head | None:
        kept = self._heads.get(file.path)
        if kept is not None and kept[0] == file.mtime_ns:
            return kept[1]
        try:
            fold = _first_lines(file)
        except UnspoolError:
            return None
        head = _head(file, fold.known(), fold.threads.originals())
        self._heads[file.path] = file.mtime_ns, head
        return head


def _first_lines(file: TranscriptFile) -> SessionFold:
    fold = SessionFold(file.session_id or "", path=file.path)
    state = TailState()
    while state.offset < _MOST:
        piece = tail.read(file.path, state, limit=_STEP)
        for offset, length in scan(piece.data, piece.base):
            start = offset - piece.base
            fold.feed(offset, length, decode(piece.data[start : start + length]))
        if not piece.more or fold.known().opening:
            break
        state = piece.state
    return fold


def _head(file: TranscriptFile, about: About, originals: set[str]) -> Head:
    id = file.session_id or ""
    return Head(
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
        Lineage(id, originals, about.forked_from, about.start),
    )


def _named(session_id: str, reason: str) -> SessionLink | None:
    return SessionLink(session_id, 1.0, reason) if session_id else None
