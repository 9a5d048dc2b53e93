"""Content blocks of an API message, in Claude Code's own words."""

from typing import Annotated, TypeAlias

from msgspec import Meta, Raw, Struct

NULL = Raw(b"null")

# Bounds keep what a hostile line says inside a database's 64 bits, sums and prices included.
Int53: TypeAlias = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]


class Text(Struct, frozen=True, tag_field="type", tag="text", gc=False):
    text: str = ""


class Thinking(Struct, frozen=True, tag_field="type", tag="thinking", gc=False):
    """Often empty: newer versions keep only the signature."""

    thinking: str = ""


class RedactedThinking(Struct, frozen=True, tag_field="type", tag="redacted_thinking", gc=False):
    data: str = ""


class ToolUse(Struct, frozen=True, tag_field="type", tag="tool_use", gc=False):
    id: str = ""
    name: str = ""
    input: Raw = NULL


class ServerToolUse(Struct, frozen=True, tag_field="type", tag="server_tool_use", gc=False):
    id: str = ""
    name: str = ""
    input: Raw = NULL


class McpToolUse(Struct, frozen=True, tag_field="type", tag="mcp_tool_use", gc=False):
    id: str = ""
    name: str = ""
    server_name: str = ""
    input: Raw = NULL


class ToolResult(Struct, frozen=True, tag_field="type", tag="tool_result", gc=False):
    tool_use_id: str = ""
    content: Raw = NULL
    is_error: bool | None = None


class McpToolResult(Struct, frozen=True, tag_field="type", tag="mcp_tool_result", gc=False):
    tool_use_id: str = ""
    content: Raw = NULL
    is_error: bool | None = None


class WebSearchToolResult(
    Struct, frozen=True, tag_field="type", tag="web_search_tool_result", gc=False
):
    tool_use_id: str = ""
    content: Raw = NULL


class AdvisorToolResult(Struct, frozen=True, tag_field="type", tag="advisor_tool_result", gc=False):
    tool_use_id: str = ""
    content: Raw = NULL


class ToolReference(Struct, frozen=True, tag_field="type", tag="tool_reference", gc=False):
    tool_name: str = ""


class ToolAddition(Struct, frozen=True, tag_field="type", tag="tool_addition", gc=False):
    tool: Raw = NULL


class ToolRemoval(Struct, frozen=True, tag_field="type", tag="tool_removal", gc=False):
    tool: Raw = NULL


class Fallback(
    Struct, frozen=True, tag_field="type", tag="fallback", rename={"from_": "from"}, gc=False
):
    """The API answered with another model than the one asked."""

    from_: Raw = NULL
    to: Raw = NULL


class Image(Struct, frozen=True, tag_field="type", tag="image", gc=False):
    source: Raw = NULL


class Document(Struct, frozen=True, tag_field="type", tag="document", gc=False):
    source: Raw = NULL
    title: str | None = None


class OtherBlock(Struct, frozen=True, tag_field="type", tag="unspool:other", gc=False):
    """A block of a kind this version does not know; its bytes are kept."""

    kind: str = ""
    raw: Raw = NULL


ContentBlock: TypeAlias = (
    Text
    | Thinking
    | RedactedThinking
    | ToolUse
    | ServerToolUse
    | McpToolUse
    | ToolResult
    | McpToolResult
    | WebSearchToolResult
    | AdvisorToolResult
    | ToolReference
    | ToolAddition
    | ToolRemoval
    | Fallback
    | Image
    | Document
    | OtherBlock
)
