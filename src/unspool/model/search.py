"""What a search gives: lines with the words found in them, and occurrences inside a session."""

from typing import Literal, TypeAlias

from msgspec import Struct

Scope: TypeAlias = Literal["devtools", "all"]


class FoundLine(Struct, frozen=True, kw_only=True, rename="camel"):
    """A line that a search found; `ranges` are places in `snippet`, in characters."""

    session_id: str
    project_id: str
    project_name: str = ""
    title: str = ""
    agent_id: str = ""
    turn: int = 0
    line: int
    event_id: str
    kind: str = ""
    timestamp: str | None = None
    snippet: str = ""
    ranges: tuple[tuple[int, int], ...] = ()
