"""Names to show: statuses with their marks, models, titles, notes on damage and ownership."""

import re
from datetime import UTC, datetime, tzinfo
from typing import Final, NamedTuple

from unspool.model.document import (
    BackgroundJob,
    Diagnostics,
    Metrics,
    SessionMetrics,
    Status,
    StatusName,
    TotalMetrics,
)
from unspool.show import safe, times
from unspool.show.numbers import format_usd, plural, unknown_usage
from unspool.show.spans import Style


class StatusSign(NamedTuple):
    """How a status looks: colour never stands alone."""

    style: Style
    shape: str
    word: str
    phrase: str


STATUSES: Final[dict[StatusName, StatusSign]] = {
    "waiting_for_approval": StatusSign("wait", "▲", "approval", "waiting for your approval"),
    "limited": StatusSign("wait", "◆", "limited", "stopped by its usage limit"),
    "failed": StatusSign("bad", "✕", "failed", "stopped by an error"),
    "working": StatusSign("work", "●", "working", "working"),
    "waiting_for_input": StatusSign("wait", "◇", "prompt", "waiting for your prompt"),
    "idle": StatusSign("dim", "○", "idle", "idle"),
    "ended": StatusSign("dim", "■", "ended", "ended"),
}


AT_MOST: Final = "At most: without an index, unmarked copies are not detected."


class CauseLabel(NamedTuple):
    """What a cause of a cost is called, and what that means."""

    term: str
    hint: str


# In the order of the fields of `StepCost`, and by their names.
COST_CAUSES: Final[dict[str, CauseLabel]] = {
    "read": CauseLabel("Cache reads", "Context that was sent again and read from the cache."),
    "write": CauseLabel(
        "Cache writes", "Context that was written to the cache for the first time."
    ),
    "input": CauseLabel("Uncached input", "Context that was sent and not cached."),
    "output": CauseLabel("Output", "What the model wrote, thinking included."),
    "rewrite": CauseLabel(
        "Cache breaks",
        "Context lost from the cache and written again: the cost beyond reading it. Avoidable.",
    ),
    "searches": CauseLabel("Web searches", "Billed for each search."),
    "agents": CauseLabel("Agents", "Counted at the step that started them."),
}
# Old versions of Claude Code wrote when a limit is reset as a number of seconds.
_EPOCH: Final = re.compile(r"(?<=limit reached)\|(\d{10})\b")
_DATE: Final = re.compile(r"[-@]20\d{6}$")


def model_label(name: str | None) -> str:
    """A model without maker and date: `claude-opus-4-6-20260205` is opus-4-6."""
    return safe.brief(_DATE.sub("", name or "").removeprefix("claude-"), 60)


def title_label(text: str, fallback: str = "Untitled") -> str:
    """A title on one line."""
    return safe.brief(text, 300) or fallback


def stop_label(status: Status, now: int, zone: tzinfo | None = None) -> str:
    """Why a session stopped: the limit with its reset, or what Claude Code wrote; or nothing."""
    reset = times.coming(status.until, now, zone) if status.state == "limited" else ""
    return f"usage limit, resets {reset}" if reset else status.error


def notice_text(text: str, now: int, zone: tzinfo | None = None) -> str:
    """A notice of Claude Code, with a time for a reader instead of a number of seconds."""

    def reset(found: re.Match[str]) -> str:
        at = datetime.fromtimestamp(int(found[1]), UTC).isoformat()
        return f", resets {times.coming(at, now, zone)}"

    return _EPOCH.sub(reset, text)


def damage_note(diagnostics: Diagnostics) -> str:
    """How much of what; nothing where all is whole."""
    counts = (
        (diagnostics.bad_lines, "unreadable line", ""),
        (diagnostics.salvaged, "salvaged record", ""),
        (diagnostics.oversize, "oversize line", ""),
        (
            diagnostics.without_uuid,
            "conversation line without a uuid",
            "conversation lines without a uuid",
        ),
        (
            sum(diagnostics.unknown_types.values()),
            "entry of an unknown type",
            "entries of unknown types",
        ),
        (diagnostics.capped, "response capped at $1,000", "responses capped at $1,000"),
    )
    return " · ".join(plural(count, one, many) for count, one, many in counts if count)


def job_text(job: BackgroundJob | None) -> str:
    """The background job of a session: its id and name, how it stands, what it needs."""
    if job is None:
        return ""
    stands = [job.state, job.detail, f"needs {job.needs}" if job.needs else ""]
    named = [job.id, job.name if job.name != job.id else "", *stands]
    return " · ".join(safe.brief(text, 200) for text in named if text)


def ownership_notes(metrics: SessionMetrics) -> list[str]:
    """What a session repeats of others, what its files no longer have, and how sure that is."""
    notes, repeated, earlier = [], metrics.repeated, metrics.earlier_responses
    if repeated is not None:
        cost, whose = format_usd(repeated.cost_usd), ", ".join(id[:8] for id in repeated.of)
        many = "s" if len(repeated.of) > 1 else ""
        notes.append(f"Repeats {cost} from session{many} {whose}; counted there.")
    if earlier:
        were = "response is" if earlier == 1 else "responses are"
        notes.append(f"{earlier} {were} only in an earlier version of the file, but still counted.")
    if reported := metrics.reported_responses:
        were = "agent response is" if reported == 1 else "agent responses are"
        notes.append(f"{reported} {were} known only from progress lines: the agent's file is gone.")
    if metrics.unknown_agents:
        notes.append(f"At least: {unknown_usage(metrics.unknown_agents)}.")
    if metrics.total.ownership != "exact":
        notes.append(AT_MOST)
    return notes


def is_at_most(metrics: Metrics) -> bool:
    """Whether a session may repeat responses that another one owns."""
    return isinstance(metrics, TotalMetrics) and metrics.ownership != "exact"


def cost_label(metrics: Metrics) -> str:
    """Dollars, and whether that is at least or at most what was spent."""
    return format_usd(metrics.cost_usd, at_least=metrics.lower_bound, at_most=is_at_most(metrics))
