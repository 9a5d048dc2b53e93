"""Messages -> the kind of event each stands for."""

from typing import Final

from unspool.model.message import Message

_PROMPTS: Final = frozenset({"prompt", "command", "bash_input"})
# The piece that tells most comes first.
_SPOKEN: Final = (("call", "pre_tool_use"), ("text", "assistant_text"), ("thinking", "thinking"))


def event_type(message: Message) -> str:
    """The timeline event of a message; "" if it is not one."""
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
