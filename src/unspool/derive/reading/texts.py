"""An entry read again -> the text of one of its blocks, as a person should read it."""

from msgspec import Raw

from unspool.derive.reading import attachments, notes
from unspool.derive.reading.speech import aloud
from unspool.model.blocks import (
    NULL,
    AdvisorToolResult,
    ContentBlock,
    McpToolResult,
    McpToolUse,
    OtherBlock,
    ServerToolUse,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    WebSearchToolResult,
)
from unspool.model.message import Message, Piece
from unspool.model.transcript import Assistant, Attachment, Entry, System, User

_CALLS = (ToolUse, ServerToolUse, McpToolUse)
_RESULTS = (ToolResult, McpToolResult, WebSearchToolResult, AdvisorToolResult)


def said(entry: Entry, message: Message) -> str:
    """All that a user, system or attachment line says."""
    if isinstance(entry, System):
        return notes.system_text(entry, message.voice)
    if isinstance(entry, Attachment):
        return _attached(entry, message)
    text = _own_text(entry)
    return text if message.category == "compact" else aloud(text, message.voice)


def block_text(entry: Entry, message: Message, piece: Piece) -> str:
    """The text of one piece of a message."""
    if isinstance(entry, System | Attachment):
        return said(entry, message)
    block = _block(entry, piece.n)
    if isinstance(block, Text):
        return block.text if message.type == "assistant" else aloud(block.text, message.voice)
    if isinstance(block, Thinking):
        return block.thinking
    return bytes(block.raw).decode("utf-8", "replace") if isinstance(block, OtherBlock) else ""


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


def structured(entry: Entry, piece: Piece) -> Raw:
    """What Claude Code noted of a result beside its text: of the first one of a line, no other."""
    body = entry.message if isinstance(entry, User) else None
    content = body.content if body and isinstance(body.content, list) else []
    first = next((n for n, block in enumerate(content) if type(block) is ToolResult), None)
    return entry.tool_use_result if isinstance(entry, User) and first == piece.n else NULL


def _attached(entry: Attachment, message: Message) -> str:
    if entry.attachment is None or message.voice == "injected":
        return attachments.shown(entry)[0]
    if message.voice == "hook":
        return attachments.hook_text(entry.attachment)
    return aloud(notes.plain(entry.attachment.prompt), message.voice)


def _own_text(entry: Entry) -> str:
    body = entry.message if isinstance(entry, User | Assistant) else None
    content = body.content if body else None
    if isinstance(content, list):
        return "\n".join(block.text for block in content if isinstance(block, Text))
    return content or ""


def _block(entry: Entry, n: int) -> ContentBlock | None:
    body = entry.message if isinstance(entry, User | Assistant) else None
    content = body.content if body else None
    if isinstance(content, str):
        return Text(content)
    return content[n] if content and 0 <= n < len(content) else None
