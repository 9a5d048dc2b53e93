"""A session's lines -> what tells its kin: plan, nickname, and the lines it may share."""

import re

from msgspec import Struct, structs

from unspool.derive.plans import PlanFacts
from unspool.derive.story.threads import Lineage
from unspool.derive.transcript import TranscriptFold
from unspool.engine.transcript import TranscriptReader, decoded
from unspool.model.files import TailState, TranscriptFile
from unspool.source import tail
from unspool.source.safe_open import read_at

# Most sessions say their first prompt in a few lines; the others are read on in longer steps.
_STEP = 8 * 1024
_MOST = 8 * 1024 * 1024
_SLUG_BYTES = 256 * 1024
_SLUG = re.compile(rb'"slug":"([^"\\\n]{1,128})"')


class Head(Struct, frozen=True):
    """What may tie a session to others."""

    plan: PlanFacts
    lineage: Lineage


def head_of(file: TranscriptFile, fold: TranscriptFold) -> Head:
    """What a session says of itself, as far as it has been read."""
    about, id = fold.known(), file.session_id or ""
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
        Lineage(id, fold.threads.originals(), about.forked_from, about.start),
    )


def glance(file: TranscriptFile) -> Head:
    """Read up to the first prompt. A nickname may come later: it is looked for, not read."""
    head = head_of(file, _first_lines(file))
    if head.plan.slug:
        return head
    found = _SLUG.search(read_at(file.path, 0, _SLUG_BYTES))
    slug = found[1].decode("utf-8", "replace") if found else ""
    return structs.replace(head, plan=structs.replace(head.plan, slug=slug))


def reading(file: TranscriptFile) -> Head:
    """Read all of it."""
    transcript = TranscriptReader(file)
    transcript.refresh(0)
    return head_of(file, transcript.fold)


def _first_lines(file: TranscriptFile) -> TranscriptFold:
    fold = TranscriptFold(file.session_id or "", path=file.path)
    state, step = TailState(), _STEP
    while state.offset < _MOST:
        piece = tail.read(file.path, state, limit=step)
        fold.feed_all(decoded(piece))
        if not piece.more or fold.known().opening:
            break
        state, step = piece.state, step * 2
    return fold
