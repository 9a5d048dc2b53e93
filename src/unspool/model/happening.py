"""One thing that happens in a session, as somebody who follows it is told."""

from typing import Literal, TypeAlias

from msgspec import Struct

from unspool.model.document import Time, ToolState

Kind: TypeAlias = Literal[
    "prompt",  # `name` is who spoke
    "answer",
    "call",  # `name` is the tool, `text` what it was given
    "result",  # of a call: its state, and what came of it in a word
    "asks",  # a call waits for approval
    "hook",  # `name` is the event
    "notice",  # an error, an interruption, a compaction
    "started",
    "ended",
]


class Happening(Struct, frozen=True, kw_only=True, rename="camel"):
    """Told once, when it is written; `text` is whole, whoever shows it cuts it."""

    at: Time
    session_id: str
    project_id: str = ""
    agent_id: str = ""
    kind: Kind
    name: str = ""
    text: str = ""
    state: ToolState | Literal[""] = ""
    tool_use_id: str = ""
    duration_ms: int | None = None
    is_error: bool = False
