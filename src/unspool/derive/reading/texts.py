"""An entry read again -> the text of one of its blocks, as a person should read it."""

from msgspec import Raw

from unspool.derive.reading import notes, tags
from unspool.model.blocks import (
    AdvisorResult,
    Block,
    McpToolResult,
    McpToolUse,
    OtherBlock,
    ServerToolUse,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    WebSearchResult,
)
from unspool.model.message import Message, Piece
from unspool.model.transcript import Assistant, Attachment, Entry, System, User

_CALLS = (ToolUse, ServerToolUse, McpToolUse)
_RESULTS = (ToolResult, McpToolResult, WebSearchResult, AdvisorResult)


def said(entry: Entry, message: Message) -> str:
    """All that a user, system or attachment line says."""
    text = _own_text(entry)
    if message.category == "compact":
        return text
    if message.voice == "teammate" and (sent := tags.teammates(text)):
        return "\n\n".join(one.text for one in sent)
    if message.voice == "notification":
        return notification(text)
    return tags.sanitise(text)


def notification(text: str) -> str:
    """A background task's report: its summary, and the result where it brought one."""
    found = (tags.inner(text, "summary"), tags.inner(text, "result"))
    told = [one.strip() for one in found if one and one.strip()]
    return "\n\n".join(told) or tags.sanitise(text) or text.strip()


def block_text(entry: Entry, message: Message, piece: Piece) -> str:
    """The text of one piece of a message."""
    if piece.kind == "hook" or isinstance(entry, System | Attachment):
        return message.head or said(entry, message)
    block = _block(entry, piece.n)
    if isinstance(block, Text):
        return block.text if message.type == "assistant" else said(entry, message)
    if isinstance(block, Thinking):
        return block.thinking
    if isinstance(block, OtherBlock):
        return bytes(block.raw).decode("utf-8", "replace")
    return said(entry, message) if message.type == "user" else ""


def call_input(entry: Entry, piece: Piece) -> Raw:
    """What a tool was given; an empty object where it was nothing."""
    block = _block(entry, piece.n)
    given = block.input if isinstance(block, _CALLS) else Raw(b"{}")
    return Raw(b"{}") if bytes(given) == b"null" else given


def result_content(entry: Entry, piece: Piece) -> Raw:
    """What a tool answered: a string or a list of blocks."""
    block = _block(entry, piece.n)
    answered = block.content if isinstance(block, _RESULTS) else Raw(b'""')
    return Raw(b'""') if bytes(answered) == b"null" else answered


def _own_text(entry: Entry) -> str:
    if isinstance(entry, User | Assistant):
        content = entry.message.content if entry.message else None
        if isinstance(content, list):
            return "\n".join(block.text for block in content if isinstance(block, Text))
        return content or ""
    if isinstance(entry, System):
        return notes.plain(entry.content)
    if isinstance(entry, Attachment) and entry.attachment:
        return notes.plain(entry.attachment.prompt)
    return ""


def _block(entry: Entry, n: int) -> Block | None:
    body = entry.message if isinstance(entry, User | Assistant) else None
    content = body.content if body else None
    if isinstance(content, str):
        return Text(content)
    return content[n] if content and 0 <= n < len(content) else None
