"""A session's status -> the kind of mark a page shows, its words, and the end of its spool."""

from typing import Final

from unspool.model.document import SessionInfo, StatusName
from unspool.show import safe
from unspool.show.charts.spool import Live
from unspool.show.names import title
from unspool.show.times import duration, moment

KINDS: Final[dict[StatusName, str]] = {
    "waiting_for_approval": "wait",
    "working": "work",
    "waiting_for_input": "turn",
    "idle": "idle",
    "ended": "ended",
}
ENDS: Final[dict[StatusName, Live]] = {
    "waiting_for_approval": "wait",
    "working": "work",
    "waiting_for_input": "",
    "idle": "",
    "ended": "",  # that it ended says nothing of how
}
EVIDENCE: Final = {
    "registry": "the session registry",
    "hook": "a hook",
    "transcript": "the transcript",
    "inferred": "inferred",
}


def age(iso: str | None, now: int) -> str:
    """How long ago in few characters: 12 s, 3 min, 2 h."""
    at = moment(iso)
    past = None if at is None else max(now - int(at.timestamp() * 1_000), 0)
    if past is None or past < 60_000:
        return "" if past is None else f"{past // 1_000} s"
    return duration(past) if past < 3_600_000 else duration(past // 3_600_000 * 3_600_000)


def named(session: SessionInfo) -> str:
    """What to call a session: its title, or its goal."""
    return title(session.title or session.goal)


def place(session: SessionInfo) -> str:
    """What to call its project."""
    return safe.brief(session.project_name or session.project_id, 100) or "no project"


def branch(session: SessionInfo) -> str:
    """Its branch, as one short word."""
    return safe.brief(session.git_branch or "", 100)


def row_id(session: SessionInfo) -> str:
    """The name of a session's row on a page; two projects may hold the same session."""
    return "s-" + "-".join(f"{session.project_id}-{session.id}".split())
