"""Names: what kind of line an entry is, and what kind of event its message stands for."""

from typing import Final

from unspool.model.message import Message
from unspool.model.transcript import Entry, Oversize, Unknown, Unreadable

_PROMPTS: Final = frozenset({"prompt", "command", "bash_input"})
# The piece that tells most comes first.
_SPOKEN: Final = (("call", "pre_tool_use"), ("text", "assistant_text"), ("thinking", "thinking"))


def type_of(entry: Entry) -> str:
    """The type an entry was written with."""
    if isinstance(entry, Unknown):
        return entry.type
    if isinstance(entry, Unreadable | Oversize):
        return ""
    tag = type(entry).__struct_config__.tag
    return tag if isinstance(tag, str) else ""


def event_type(message: Message) -> str:
    """The event in a timeline that a message is; "" where it is none."""
    if message.voice in _PROMPTS:
        return "user_prompt"
    if message.category == "compact":
        return "compact"
    if message.voice == "notice":
        return "api_error"
    if message.voice == "notification":
        return "notification"
    kinds = [piece.kind for piece in message.pieces]
    if message.type == "assistant":
        return next((event for kind, event in _SPOKEN if kind in kinds), "")
    return "post_tool_use" if "result" in kinds else ""
