"""An entry -> the words a search may find it by, and what kind of text they are."""

from typing import Final

import msgspec
from msgspec import Raw

from unspool.derive.reading import messages, texts
from unspool.derive.reading.speech import aloud
from unspool.model.blocks import (
    AdvisorToolResult,
    ContentBlock,
    McpToolResult,
    McpToolUse,
    ServerToolUse,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    WebSearchToolResult,
)
from unspool.model.message import Message, Voice
from unspool.model.rows import TextKind
from unspool.model.transcript import Assistant, Attachment, Entry, System, User

# A word this long is a signature, a key or an image: nobody searches for it.
_LONGEST_WORD: Final = 256
_LONG_TEXT: Final = 100_000
_VOICES: Final[dict[str, TextKind]] = {
    "prompt": "prompt",
    "command": "prompt",
    "memory": "prompt",
    "bash_input": "prompt",
    "teammate": "prompt",
    "interruption": "system",
}
# The account's e-mail; the whole system prompt: nobody's words, and better not found.
_UNSEARCHED: Final = frozenset({"session_context", "prompt_snapshot"})
_CALLS: Final = (ToolUse, ServerToolUse, McpToolUse)
_RESULTS: Final = (ToolResult, McpToolResult, WebSearchToolResult, AdvisorToolResult)
_TELLING: Final[tuple[TextKind, ...]] = ("tool_input", "tool_result")
_any: Final = msgspec.json.Decoder()


def searchable(entry: Entry, message: Message) -> tuple[TextKind, str]:
    """All text of one line; the kind is that of the piece that tells most."""
    if isinstance(entry, User | Assistant):
        kind, text = _spoken(entry, _own(message), _voice(message))
    elif isinstance(entry, System | Attachment) and message.subtype not in _UNSEARCHED:
        kind = "prompt" if message.category == "user" else "system"
        text = message.head if message.voice in ("hook", "notice") else texts.said(entry, message)
    else:
        return "", ""
    return kind, _readable(text)


def spoken_text(entry: User | Assistant) -> str:
    """The text of such a line; a message is made only of one that may have tags."""
    message = messages.read(entry, 1) if isinstance(entry, User) and _has_tags(entry) else None
    return _readable(_spoken(entry, "", _voice(message) if message else None)[1])


def _has_tags(entry: User) -> bool:
    content = entry.message.content if entry.message else None
    if isinstance(content, str):
        return "<" in content
    return any(isinstance(block, Text) and "<" in block.text for block in content or ())


def _aloud(text: str, voice: Voice | None) -> str:
    """Words without their tags; those that have none stand as they are."""
    return text if voice is None or "<" not in text else aloud(text, voice)


def _voice(message: Message) -> Voice | None:
    """The voice that a line's own words are read in; None where they stand as they are."""
    return message.voice if message.type == "user" and message.category != "compact" else None


def _spoken(entry: User | Assistant, own: TextKind, voice: Voice | None) -> tuple[TextKind, str]:
    content = entry.message.content if entry.message else None
    if isinstance(content, str):
        return own, _aloud(content, voice)
    kinds: list[TextKind] = []
    said: list[str] = []
    for block in content or ():
        kind, words = _block(block)
        if isinstance(block, Text):
            words = list(filter(None, [_aloud(block.text, voice)]))
        if words:
            kinds.append(kind or own)
            said += words
    return next((kind for kind in _TELLING if kind in kinds), (*kinds, "")[0]), "\n".join(said)


def _block(block: ContentBlock) -> tuple[TextKind, list[str]]:
    """What one block says; "" is whatever the words of its line are."""
    if isinstance(block, Text):
        return "", [block.text]
    if isinstance(block, Thinking):
        return "thinking", [block.thinking]
    if isinstance(block, _CALLS):
        server = f"mcp__{block.server_name}__" if isinstance(block, McpToolUse) else ""
        return "tool_input", [f"{server}{block.name or ''}", *strings(block.input)]
    if isinstance(block, _RESULTS):
        return "tool_result", strings(block.content)
    return "", []


def _own(message: Message) -> TextKind:
    """What kind of text the words of a line are, beside its calls and results."""
    if message.type == "assistant":
        return "answer"
    return "summary" if message.category == "compact" else _VOICES.get(message.voice, "system")


def strings(raw: Raw) -> list[str]:
    """Every string in a JSON value, keys left out; images say nothing."""
    try:
        value = _any.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return []
    found: list[str] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            if one.get("type") != "image":
                waiting.extend(reversed(one.values()))
        elif isinstance(one, list):
            waiting.extend(reversed(one))
    return found


def _readable(text: str) -> str:
    """A long text without its endless words; a short one cannot hold many."""
    if len(text) < _LONG_TEXT:
        return text
    return " ".join(word for word in text.split() if len(word) <= _LONGEST_WORD)
