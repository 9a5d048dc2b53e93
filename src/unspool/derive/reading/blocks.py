"""One content block -> one piece: what kind, how heavy, and what it links to."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias
from zlib import crc32

from unspool.derive.reading import results
from unspool.derive.reading.estimate import IMAGE_TOKENS, checksum, json_tokens, tokens
from unspool.model.blocks import (
    NULL,
    AdvisorToolResult,
    ContentBlock,
    Document,
    Image,
    McpToolResult,
    McpToolUse,
    OtherBlock,
    ServerToolUse,
    Text,
    Thinking,
    ToolUse,
    WebSearchToolResult,
)
from unspool.model.message import Piece

# Takes the place in the content list, the block, and its number in the response if it has one.
_Note: TypeAlias = Callable[[int, Any, int], Piece | None]


def pieces(content: Sequence[ContentBlock], index: int = 0) -> tuple[Piece, ...]:
    """Note every block that says something; an empty text or a call without a name does not."""
    found = []
    for n, block in enumerate(content):
        note = _NOTES.get(type(block))
        if note is not None and (piece := note(n, block, index)) is not None:
            found.append(piece)
    return tuple(found)


def piece(n: int, block: ContentBlock) -> Piece | None:
    """Note one block; None where it says nothing."""
    note = _NOTES.get(type(block))
    return None if note is None else note(n, block, 0)


def _text(n: int, block: Text, index: int) -> Piece | None:
    text = block.text
    if not text or text.isspace():
        return None
    return Piece(n, "text", tokens(text), print=checksum(text, index))


def _thinking(n: int, block: Thinking, index: int) -> Piece | None:
    text = block.thinking
    return Piece(n, "thinking", tokens(text), print=checksum(text, index)) if text else None


def _call(n: int, block: ToolUse | ServerToolUse, _: int) -> Piece | None:
    if not (block.id and block.name):
        return None
    return results.call(n, block.id, block.name, block.input)


def _mcp_call(n: int, block: McpToolUse, _: int) -> Piece | None:
    if not (block.id and block.name):
        return None
    return results.call(n, block.id, f"mcp__{block.server_name}__{block.name}", block.input)


def _server_result(
    n: int, block: WebSearchToolResult | AdvisorToolResult | McpToolResult, _: int
) -> Piece | None:
    """Tools the API ran itself answer inside the assistant's own message."""
    if not block.tool_use_id:
        return None
    failed = isinstance(block, McpToolResult) and block.is_error is True
    return results.result(n, block.tool_use_id, block.content, failed, NULL)


def _image(n: int, block: Image, index: int) -> Piece:
    return Piece(n, "image", IMAGE_TOKENS, print=crc32(block.source, index))


def _document(n: int, block: Document, index: int) -> Piece:
    return Piece(n, "document", IMAGE_TOKENS, print=crc32(block.source, index))


def _other(n: int, block: OtherBlock, index: int) -> Piece:
    raw = bytes(block.raw)
    return Piece(n, "other", json_tokens(raw), name=block.kind, print=crc32(raw, index))


_NOTES: Final[dict[type, _Note]] = {
    Text: _text,
    Thinking: _thinking,
    ToolUse: _call,
    ServerToolUse: _call,
    McpToolUse: _mcp_call,
    McpToolResult: _server_result,
    WebSearchToolResult: _server_result,
    AdvisorToolResult: _server_result,
    Image: _image,
    Document: _document,
    OtherBlock: _other,
}
