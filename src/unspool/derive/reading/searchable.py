"""An entry -> the words a search may find it by, and what kind of text they are."""

from typing import Final

import msgspec
from msgspec import Raw

from unspool.derive.reading import texts
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
from unspool.model.message import Message
from unspool.model.rows import TextKind
from unspool.model.transcript import Assistant, Attachment, Entry, System, User

# A word this long is a signature, a key or an image: nobody searches for it.
_LONGEST_WORD: Final = 256
_LONG_TEXT: Final = 100_000
_VOICES: Final[dict[str, TextKind]] = {
    "prompt": "prompt",
    "command": "prompt",
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
        kind, text = _spoken(entry, _own(message))
    elif isinstance(entry, System | Attachment) and message.subtype not in _UNSEARCHED:
        kind = "prompt" if message.category == "user" else "system"
        text = message.head if message.voice in ("hook", "notice") else texts.said(entry, message)
    else:
        return "", ""
    return kind, _readable(text)


def spoken_text(entry: User | Assistant) -> str:
    """The text of such a line, for which no message has to be made."""
    return _readable(_spoken(entry, "")[1])


def _spoken(entry: User | Assistant, own: TextKind) -> tuple[TextKind, str]:
    content = entry.message.content if entry.message else None
    if isinstance(content, str):
        return own, content
    kinds: list[TextKind] = []
    said: list[str] = []
    for block in content or ():
        kind, words = _block(block)
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
