"""An entry -> the words a search may find it by, and what kind of text they are."""

from typing import Final

import msgspec
from msgspec import Raw

from unspool.derive.reading import texts
from unspool.model.blocks import Text, Thinking
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
_any: Final = msgspec.json.Decoder()


def searchable(entry: Entry, message: Message) -> tuple[TextKind, str]:
    """All text of one line; the kind is that of the piece that tells most."""
    if isinstance(entry, User | Assistant):
        found = _spoken(entry, message)
    elif message.subtype in _UNSEARCHED:
        found = ("", "")
    elif isinstance(entry, System | Attachment):
        text = message.head if message.voice in ("hook", "notice") else texts.said(entry, message)
        found = ("prompt" if message.category == "user" else "system", text)
    else:
        found = ("", "")
    return found[0], _readable(found[1])


def _spoken(entry: User | Assistant, message: Message) -> tuple[TextKind, str]:
    content = entry.message.content if entry.message else None
    if isinstance(content, str):
        content = [Text(content)]
    kind: TextKind = ""
    said: list[str] = []
    for piece in message.pieces:
        if piece.kind == "call":
            kind = "tool_input"
            said += [piece.name, *strings(texts.call_input(entry, piece))]
        elif piece.kind == "result":
            kind = kind or "tool_result"
            said += strings(texts.result_content(entry, piece))
    for block in content or ():
        if isinstance(block, Text):
            said.append(block.text)
            kind = kind or ("answer" if message.type == "assistant" else _heard(message))
        elif isinstance(block, Thinking):
            said.append(block.thinking)
            kind = kind or "thinking"
    return kind, "\n".join(said)


def _heard(message: Message) -> TextKind:
    if message.category == "compact":
        return "summary"
    return _VOICES.get(message.voice, "system")


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
    """Long texts without their endless words; a short one cannot hold many."""
    if len(text) < _LONG_TEXT:
        return text
    return " ".join(word for word in text.split() if len(word) <= _LONGEST_WORD)
