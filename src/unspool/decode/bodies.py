"""Entries and raw content -> text: what is read back for the part that is shown."""

from typing import Any, Final

from msgspec import Raw

from unspool.decode.values import value
from unspool.model import blocks, metadata
from unspool.model.transcript import Assistant, Attachment, AttachmentBody, Entry, System, User

# Where text is kept; blocks and lines of other kinds have none.
_TEXTS: Final[dict[type, tuple[str, ...]]] = {
    blocks.Text: ("text",),
    blocks.Thinking: ("thinking",),
    blocks.ToolResult: ("content",),
    blocks.McpToolResult: ("content",),
    blocks.WebSearchResult: ("content",),
    blocks.AdvisorResult: ("content",),
    blocks.ToolReference: ("tool_name",),
    blocks.Document: ("title",),
    System: ("content", "error"),
    AttachmentBody: ("prompt", "text", "content", "stdout", "stderr", "blocking_error"),
    metadata.Summary: ("summary",),
    metadata.AiTitle: ("ai_title",),
    metadata.CustomTitle: ("custom_title",),
    metadata.LastPrompt: ("last_prompt",),
    metadata.QueueOperation: ("content",),
    metadata.Result: ("result",),
}
_INNER: Final = ("text", "tool_name", "title", "url")


def block_texts(entry: Entry) -> list[str]:
    """Give the text of each block of a line, "" where a block has none."""
    if isinstance(entry, User | Assistant):
        content = entry.message.content if entry.message else None
        return [_text(block) for block in content] if isinstance(content, list) else [content or ""]
    return [_text(entry.attachment if isinstance(entry, Attachment) else entry)]


def result_text(raw: Raw) -> str:
    """Give the text of a tool result's content: a string, or the text blocks of a list."""
    found = value(raw)
    if isinstance(found, list):
        return "\n".join(text for text in map(_inner, found) if text)
    text = _inner(found)
    if text is None:
        return "" if found is None or _image(found) else _verbatim(raw)
    return text


def tool_input(name: str, raw: Raw) -> dict[str, object]:
    """Give a call's input; {} when it is not an object."""
    found = value(raw)
    return found if isinstance(found, dict) else {}


def images(raw: Raw) -> list[tuple[str, int]]:
    """List the images in a block or a result's content: media type and length in base64."""
    found = value(raw)
    candidates = map(_image, found if isinstance(found, list) else [found])
    return [image for image in candidates if image]


def _text(holder: object) -> str:
    if isinstance(holder, blocks.ToolUse | blocks.ServerToolUse | blocks.McpToolUse):
        return _verbatim(holder.input)
    if isinstance(holder, blocks.OtherBlock):
        return _verbatim(holder.raw)
    said = (getattr(holder, name) for name in _TEXTS.get(type(holder), ()))
    texts = (result_text(text) if isinstance(text, Raw) else text for text in said)
    return "\n".join(text for text in texts if text)


def _inner(found: Any) -> str | None:
    if isinstance(found, dict):
        said = [found[name] for name in _INNER if isinstance(found.get(name), str)]
        return " ".join(said) if said else None
    return found if isinstance(found, str) else None


def _image(found: Any) -> tuple[str, int] | None:
    if not isinstance(found, dict):
        return None
    source = found.get("source") if found.get("type") == "image" else found
    if not isinstance(source, dict) or not isinstance(source.get("data"), str):
        return None
    return str(source.get("media_type") or ""), len(source["data"])


def _verbatim(raw: Raw) -> str:
    return "" if raw == blocks.NULL else bytes(raw).decode("utf-8", "replace")
