"""Sessions -> which one planned and which one carried the plan out, with what proves it."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from unspool.model.document import SessionLink, SessionLinks

PlanRole: TypeAlias = Literal["plan", "implementation", ""]

_PREFIX: Final = "implement the following plan"
NO_SLUGS: Final = frozenset({"", "unknown"})


class PlanFacts(Struct, frozen=True, kw_only=True):
    """What one session says about plans; times in milliseconds."""

    id: str
    project_id: str = ""
    slug: str = ""
    first_text: str = ""  # the first prompt, reminders and notes in brackets left out
    start: int | None = None
    has_exit_plan: bool = False
    plan_at: int | None = None  # when ExitPlanMode was last called
    planned_in: str = ""  # the session whose transcript the first prompt names


def classify(sessions: Sequence[PlanFacts]) -> dict[str, PlanRole]:
    """Each session's part; one that carries a plan out counts as that, even if it plans anew."""
    roles: dict[str, PlanRole] = {session.id: "" for session in sessions}
    pairs = _pairs(sessions)
    for _, plans in pairs:
        roles |= {plan.session_id: "plan" for plan in plans}
    return roles | {session.id: "implementation" for session, _ in pairs}


def link(sessions: Sequence[PlanFacts]) -> dict[str, SessionLinks]:
    """Each session's likeliest plan, and the newest session that carried its own plan out."""
    plans: dict[str, SessionLink] = {}
    followers: dict[str, SessionLink] = {}
    for session, found in sorted(_pairs(sessions), key=lambda pair: pair[0].start or 0):
        if found:
            best = plans[session.id] = found[0]
            followers[best.session_id] = SessionLink(session.id, best.confidence, best.reason)
    linked = plans.keys() | followers.keys()
    return {id: SessionLinks(plan=plans.get(id), implementation=followers.get(id)) for id in linked}


def _pairs(sessions: Sequence[PlanFacts]) -> list[tuple[PlanFacts, list[SessionLink]]]:
    """Sessions that carry out a plan, each with the sessions it may come from, likeliest first."""
    by_id = {session.id: session for session in sessions}
    by_slug: defaultdict[str, list[PlanFacts]] = defaultdict(list)
    for session in sessions:
        by_slug[session.slug].append(session)
    pairs = []
    for session in sessions:
        if session.planned_in:
            found = _named(session, by_id)
        else:
            found = [] if session.slug in NO_SLUGS else _likely(session, by_slug[session.slug])
        if found or session.planned_in or _says_so(session):
            pairs.append((session, found))
    return pairs


def _named(session: PlanFacts, by_id: dict[str, PlanFacts]) -> list[SessionLink]:
    named = session.planned_in
    if named == session.id or named not in by_id:
        return []
    return [SessionLink(named, 1.0, "names its transcript")]


def _likely(session: PlanFacts, others: Sequence[PlanFacts]) -> list[SessionLink]:
    rated = []
    for other in others:
        confidence, reason = _rate(session, other)
        if confidence:
            away = 0.0 if other.project_id == session.project_id else 0.2
            found = SessionLink(other.id, round(confidence - away, 2), reason)
            rated.append((found.confidence, other.plan_at or other.start or 0, found))
    rated.sort(key=lambda one: one[:2], reverse=True)
    return [found for _, _, found in rated]


def _rate(session: PlanFacts, other: PlanFacts) -> tuple[float, str]:
    """How sure we are that `session` carries out the plan of `other`, which has the same slug."""
    start = session.start
    if other.id == session.id:
        return 0.0, ""
    if start is None or other.start is None:
        guess = _says_so(session) and not _says_so(other)
        return (0.5, "same slug, time unknown") if guess else (0.0, "")
    left_plan = other.has_exit_plan and other.plan_at is not None and other.plan_at <= start
    if left_plan:
        return 0.9 if _says_so(session) else 0.6, "same slug, after its ExitPlanMode"
    if other.start <= start and _says_so(session) and not _says_so(other):
        return 0.7, "same slug, earlier"
    return 0.0, ""


def _says_so(session: PlanFacts) -> bool:
    return session.first_text.lstrip()[: len(_PREFIX)].lower() == _PREFIX
