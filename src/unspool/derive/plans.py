"""Sessions -> which one planned and which one implemented the plan, with the evidence."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from unspool.model.document import SessionLink, SessionLinks

_PREFIX: Final = "implement the following plan"
NO_SLUGS: Final = frozenset({"", "unknown"})


class PlanFacts(Struct, frozen=True, kw_only=True):
    """What one session says about plans; times in milliseconds."""

    id: str
    project_id: str = ""
    slug: str = ""
    first_text: str = ""  # the first prompt without reminders and notes in brackets
    start: int | None = None
    has_exit_plan: bool = False
    plan_at: int | None = None  # when ExitPlanMode was last called
    planned_in: str = ""  # the session whose transcript the first prompt names


def link_plans(sessions: Sequence[PlanFacts]) -> dict[str, SessionLinks]:
    """Each session's likeliest plan, and the newest session that implemented its own plan."""
    by_id = {session.id: session for session in sessions}
    by_slug: defaultdict[str, list[PlanFacts]] = defaultdict(list)
    for session in sessions:
        by_slug[session.slug].append(session)
    plans: dict[str, SessionLink] = {}
    implementations: dict[str, SessionLink] = {}
    for session in sorted(sessions, key=lambda one: one.start or 0):
        plan = _named_plan(session, by_id) or _likely_plan(session, by_slug[session.slug])
        if plan is not None:
            plans[session.id] = plan
            link = SessionLink(session.id, plan.confidence, plan.reason)
            implementations[plan.session_id] = link
    return {
        id: SessionLinks(plan=plans.get(id), implementation=implementations.get(id))
        for id in plans.keys() | implementations.keys()
    }


def _named_plan(session: PlanFacts, by_id: dict[str, PlanFacts]) -> SessionLink | None:
    id = session.planned_in
    if id == session.id or id not in by_id:
        return None
    return SessionLink(id, 1.0, "names its transcript")


def _likely_plan(session: PlanFacts, others: Sequence[PlanFacts]) -> SessionLink | None:
    """The best guess by slug; of equal ones the latest. None where the session names its plan."""
    if session.planned_in or session.slug in NO_SLUGS:
        return None
    best: tuple[float, int, SessionLink] | None = None
    for other in others:
        confidence, reason = _rate(session, other)
        if confidence:
            away = 0.0 if other.project_id == session.project_id else 0.2
            link = SessionLink(other.id, round(confidence - away, 2), reason)
            rating = link.confidence, other.plan_at or other.start or 0, link
            best = rating if best is None or rating[:2] > best[:2] else best
    return best[2] if best else None


def _rate(session: PlanFacts, other: PlanFacts) -> tuple[float, str]:
    """How certain it is that `session` implements the plan of `other`, which has its slug."""
    start = session.start
    if other.id == session.id:
        return 0.0, ""
    if start is None or other.start is None:
        is_likely = _implements(session) and not _implements(other)
        return (0.5, "same slug, time unknown") if is_likely else (0.0, "")
    has_plan = other.has_exit_plan and other.plan_at is not None and other.plan_at <= start
    if has_plan:
        return 0.9 if _implements(session) else 0.6, "same slug, after its ExitPlanMode"
    if other.start <= start and _implements(session) and not _implements(other):
        return 0.7, "same slug, earlier"
    return 0.0, ""


def _implements(session: PlanFacts) -> bool:
    return session.first_text.lstrip()[: len(_PREFIX)].lower() == _PREFIX
