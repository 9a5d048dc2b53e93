"""Hook events -> rows of the sessions they are about, which may have no transcript at all."""

from typing import Final, TypeAlias

from msgspec import Raw, Struct, structs

from unspool.decode.lenient import build, members
from unspool.model.hooks import HookEvent
from unspool.model.rows import SessionRow

Name: TypeAlias = tuple[str, str]  # project and session

_GOAL: Final = 200


class Where(Struct, frozen=True):
    """What a payload says about its session."""

    transcript_path: str = ""
    cwd: str = ""
    prompt: str = ""


def where(data: Raw) -> Where:
    """Read it; whatever is missing is empty."""
    said: Where = build(Where, members(data))
    return said


class Heard:
    """Keeps one row for each session it was told of."""

    def __init__(self) -> None:
        self._rows: dict[Name, SessionRow] = {}
        self._news: dict[Name, None] = {}

    def feed(self, name: Name, event: HookEvent, at: int | None, said: Where) -> None:
        """Take in the next event of a session."""
        project, session = name
        row = self._rows.get(name) or SessionRow(
            session_id=session, project_id=project, origin="hook", status_evidence="hook"
        )
        times = [time for time in (row.start_time, row.last_activity, at) if time is not None]
        is_prompt = event.event_type == "user_prompt_submit"
        goal = row.goal or (said.prompt.strip()[:_GOAL] if is_prompt else "")
        self._rows[name] = structs.replace(
            row,
            cwd=row.cwd or said.cwd,
            transcript_path=row.transcript_path or said.transcript_path,
            title=goal,
            goal=goal,
            status="ended" if event.event_type == "session_end" else "idle",
            start_time=min(times, default=None),
            last_activity=max(times, default=None),
        )
        self._news[name] = None

    def news(self) -> list[SessionRow]:
        """The rows that are new or other than when last asked."""
        rows = [self._rows[name] for name in self._news]
        self._news.clear()
        return rows
