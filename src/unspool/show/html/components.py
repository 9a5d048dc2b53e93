"""Parts that several pages share: numbers with an explanation, status marks."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from unspool.model.api import ProjectSummary
from unspool.model.document import Metrics, SessionInfo, StatusName, TotalMetrics
from unspool.show import labels, safe
from unspool.show.charts.spool import Live
from unspool.show.labels import cost_label, title_label
from unspool.show.numbers import format_count, format_usd, plural
from unspool.show.times import duration, moment


class Number(Struct, frozen=True):
    """A figure with an explanation."""

    text: str
    why: str = ""

    def __bool__(self) -> bool:
        return bool(self.text)


def cost_number(metrics: Metrics, of: str = "") -> Number:
    """Dollars, explained by token counts."""
    return Number(cost_label(metrics), " ".join([*_reckoned(metrics, of), *_doubts(metrics)]))


def total_number(metrics: TotalMetrics, main: Metrics, agents: Metrics) -> Number:
    """A session's dollars: main and agents, and Claude Code's own figure."""
    whole = cost_number(metrics)
    shares = f"{format_usd(main.cost_usd)} by the main session"
    if agents.total_tokens:
        shares += f" and {format_usd(agents.cost_usd)} by agents"
    reported = (
        f" Claude Code reports {format_usd(metrics.cost_state.total_cost_usd)}."
        if (metrics.cost_state)
        else ""
    )
    return Number(whole.text, f"{whole.why} {shares}.{reported}")


def token_number(metrics: Metrics) -> Number:
    """Total tokens."""
    return Number(f"{format_count(metrics.total_tokens)} tokens", " ".join(_reckoned(metrics)))


def _reckoned(metrics: Metrics, of: str = "") -> list[str]:
    kinds = (
        (metrics.input_tokens, "input"),
        (metrics.cache_creation_tokens, "cache write"),
        (metrics.cache_read_tokens, "cache read"),
        (metrics.output_tokens, "output"),
    )
    counts = ", ".join(f"{count:,} {kind}" for count, kind in kinds if count)
    if not counts:
        return ["No token usage is recorded."]
    return [f"Tokens{f' of {of}' if of else ''}, each response counted once: {counts}."]


def summed_usd(parts: Sequence[Metrics]) -> str:
    """What some sessions or projects cost together; a bound where one of them is one."""
    priced = [one.cost_usd for one in parts if one.cost_usd is not None]
    is_part = any(one.lower_bound or one.unpriced or one.cost_usd is None for one in parts)
    cost = sum(priced) if priced or not parts else None
    return format_usd(cost, at_least=is_part, at_most=any(map(labels.is_at_most, parts)))


def _doubts(metrics: Metrics) -> list[str]:
    notes = []
    if metrics.unpriced:
        notes.append(f"No price for {', '.join(map(labels.model_label, metrics.unpriced))}.")
    if metrics.lower_bound:
        notes.append("At least: some responses are incomplete on disk, or their file is gone.")
    if labels.is_at_most(metrics):
        notes.append(labels.AT_MOST)
    return notes


STATUS_KINDS: Final[dict[StatusName, str]] = {
    "waiting_for_approval": "wait",
    "limited": "limit",
    "failed": "fail",
    "working": "work",
    "waiting_for_input": "turn",
    "idle": "idle",
    "ended": "ended",
}
SPOOL_ENDS: Final[dict[StatusName, Live]] = {
    "waiting_for_approval": "wait",
    "limited": "",
    "failed": "",
    "working": "work",
    "waiting_for_input": "",
    "idle": "",
    "ended": "",  # that it ended says nothing of how
}
EVIDENCE_LABELS: Final = {
    "registry": "according to the session registry",
    "hook": "according to a hook",
    "transcript": "according to the transcript",
    "inferred": "inferred from the transcript",
}


def age_label(iso: str | None, now: int) -> str:
    """A short age: 12 s, 3 min, 2 h."""
    at = moment(iso)
    past = None if at is None else max(now - int(at.timestamp() * 1_000), 0)
    if past is None or past < 60_000:
        return "" if past is None else f"{past // 1_000} s"
    return duration(past) if past < 3_600_000 else duration(past // 3_600_000 * 3_600_000)


def session_title(session: SessionInfo) -> str:
    """The title of a session, or its goal."""
    return title_label(session.title or session.goal)


def project_label(session: SessionInfo) -> str:
    """The name of its project."""
    return safe.brief(session.project_label, 100) or "no project"


def branch_label(session: SessionInfo) -> str:
    """Its branch, shortened."""
    return safe.brief(session.git_branch or "", 100)


def row_id(session: SessionInfo) -> str:
    """The element id of a row; two projects may have the same session id."""
    return "s-" + "-".join(f"{session.project_id}-{session.id}".split())


class CheckoutLink(Struct, frozen=True, kw_only=True):
    """A worktree or clone of a project's repository."""

    id: str
    place: str
    summary: str


def checkout_links(project: ProjectSummary) -> tuple[CheckoutLink, ...]:
    """The checkouts of a project; none where it is one directory."""
    if project.checkout_ids == (project.id,):
        return ()
    return tuple(
        CheckoutLink(
            id=one.id,
            place=safe.brief(one.path or one.id, 200),
            summary=f"{plural(one.sessions, 'session')}, {cost_label(one.metrics)}",
        )
        for one in project.checkouts
    )
