"""Events as they may be handed in: as a hook was told, or in an envelope.

What has no type here is taken as it comes: Claude Code's versions do not agree on it.
"""

from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct

NAME: Final = r"[A-Za-z][A-Za-z0-9_-]{0,63}"
SESSION: Final = r"[A-Za-z0-9_][A-Za-z0-9@._-]{0,127}"
_DAY: Final = (
    r"(20(2[1-9]|[3-8][0-9])-"
    r"((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)"
    r"|20([2468][48]|[468]0|[357][26])-02-29)"
)
_TIME: Final = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?"
_ZONE: Final = r"(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9])"

Name = Annotated[str, Meta(pattern=f"^{NAME}$", description="PreToolUse or pre_tool_use.")]
Session = Annotated[str, Meta(pattern=f"^{SESSION}$")]
Moment = Annotated[
    str, Meta(pattern=f"^{_DAY}T{_TIME}{_ZONE}$", description="A time in ISO 8601 with its zone.")
]


class ToldEvent(Struct, frozen=True, kw_only=True):
    """What Claude Code tells a hook; whatever else it has is kept as it is."""

    hook_event_name: Name
    session_id: Session
    tool_name: Annotated[Any, Meta(description="Where a tool is called.")] = UNSET
    tool_use_id: Annotated[Any, Meta(description="Joins a call, its result and its line.")] = UNSET
    agent_id: Annotated[Any, Meta(description="The subagent it happened in.")] = UNSET


class EnvelopedEvent(Struct, frozen=True, kw_only=True, rename="camel"):
    """The same with its time and a name of its own, in `data` what the hook was told."""

    type: Name
    session_id: Session
    timestamp: Moment
    uuid: Annotated[Any, Meta(description="Sent again under one name it is kept once.")] = UNSET
    data: Annotated[Any, Meta(description="What the hook was told.")] = UNSET
