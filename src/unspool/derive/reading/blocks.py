"""One content block -> one piece: what kind, how heavy, and what it links to."""

from collections.abc import Callable
from typing import Any, Final

from unspool.derive.reading import results
from unspool.derive.reading.estimate import IMAGE_TOKENS, checksum, json_units, tokens
from unspool.model.blocks import (
    NULL,
    AdvisorResult,
    Block,
    Document,
    Image,
    McpToolResult,
    McpToolUse,
    OtherBlock,
    ServerToolUse,
    Text,
    Thinking,
    ToolUse,
    WebSearchResult,
)
from unspool.model.message import Piece


def piece(n: int, block: Block) -> Piece | None:
    """Note one block; None where it says nothing (an empty text, a call without a name)."""
    note = _NOTES.get(type(block))
    return None if note is None else note(n, block)


def _text(n: int, block: Text) -> Piece | None:
    text = block.text
    if not text or text.isspace():
        return None
    return Piece(n, "text", tokens(text), print=checksum(text))


def _thinking(n: int, block: Thinking) -> Piece | None:
    text = block.thinking
    return Piece(n, "thinking", tokens(text), print=checksum(text)) if text else None


def _call(n: int, block: ToolUse | ServerToolUse) -> Piece | None:
    if not (block.id and block.name):
        return None
    return results.call(n, block.id, block.name, block.input)


def _mcp_call(n: int, block: McpToolUse) -> Piece | None:
    if not (block.id and block.name):
        return None
    return results.call(n, block.id, f"mcp__{block.server_name}__{block.name}", block.input)


def _server_result(n: int, block: WebSearchResult | AdvisorResult | McpToolResult) -> Piece | None:
    """Tools the API ran itself answer inside the assistant's own message."""
    failed = isinstance(block, McpToolResult) and block.is_error is True
    return results.result(n, block.tool_use_id, block.content, failed, NULL)


def _image(n: int, block: Image) -> Piece:
    return Piece(n, "image", IMAGE_TOKENS)


def _document(n: int, block: Document) -> Piece:
    return Piece(n, "document", IMAGE_TOKENS)


def _other(n: int, block: OtherBlock) -> Piece:
    raw = bytes(block.raw)
    return Piece(n, "other", (json_units(raw) + 3) // 4, name=block.kind)


_NOTES: Final[dict[type, Callable[[int, Any], Piece | None]]] = {
    Text: _text,
    Thinking: _thinking,
    ToolUse: _call,
    ServerToolUse: _call,
    McpToolUse: _mcp_call,
    McpToolResult: _server_result,
    WebSearchResult: _server_result,
    AdvisorResult: _server_result,
    Image: _image,
    Document: _document,
    OtherBlock: _other,
}
