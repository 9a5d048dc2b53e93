"""Entry -> message: everything later steps ask of a line, but not its text."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw, structs

from unspool.derive.reading import attachments, blocks, estimate, notes, results, tags
from unspool.derive.reading.classify import NOISE, classify, together
from unspool.derive.reading.clock import millis
from unspool.derive.reading.heads import beginning
from unspool.derive.reading.speech import HEAD, spoken
from unspool.model.blocks import NULL, ContentBlock, Image, Text, ToolResult
from unspool.model.message import Category, Message, Piece, Voice
from unspool.model.transcript import Assistant, Attachment, Entry, MessageBody, System, Usage, User
from unspool.model.usage import Tokens

SYNTHETIC: Final = "<synthetic>"


def read(entry: Entry, line: int, part: int = 0) -> Message | None:
    """Read one entry; None where it is no part of the conversation."""
    reader = _READERS.get(type(entry))
    return None if reader is None else reader(entry, line, part)


# Most lines are made here. Beyond 15 names in one call Python goes a slow way round, so what
# few lines have is put in afterwards.
def _assistant(entry: Assistant, line: int, part: int) -> Message | None:
    body = entry.message
    if body is None:
        return None
    model, usage, content = body.model or "", body.usage, body.content
    if isinstance(content, str):
        content = [Text(content)]
    message = Message(
        line=line,
        part=part,
        type="assistant",
        category="ai",
        uuid=entry.uuid or "",
        parent_uuid=entry.parent_uuid or "",
        at=millis(entry.timestamp),
        agent_id=entry.agent_id or "",
        is_sidechain=entry.is_sidechain is True,
        pieces=blocks.pieces(content, entry.api_block_index or 0) if content else (),
        model=model,
        message_id=body.id or "",
        request_id=entry.request_id or "",
        tokens=None if usage is None or model == SYNTHETIC else tokens_of(usage),
        stop_reason=body.stop_reason or "",
    )
    if entry.forked_from is not None:
        message = structs.replace(message, forked_from=notes.fork(entry.forked_from))
    if not entry.uuid:
        # It is no message then, but what it used was used.
        return structs.replace(message, category="noise", pieces=())
    if model == SYNTHETIC or entry.is_api_error_message is True:
        return _notice(message, entry, body)
    return message


def _notice(message: Message, entry: Assistant, body: MessageBody) -> Message:
    """What the client itself wrote in the model's place."""
    failed = entry.is_api_error_message is True
    error = (_word(entry.error) or "unknown") if failed else ""
    pieces = tuple(
        structs.replace(piece, kind="notice", is_error=failed) if piece.kind == "text" else piece
        for piece in message.pieces
    )
    head = beginning(_first_text(body).strip(), HEAD)
    return structs.replace(message, voice="notice", pieces=pieces, head=head, error=error)


def _word(raw: Raw) -> str:
    try:
        return msgspec.json.decode(raw, type=str)
    except estimate.TROUBLE:
        return ""


def _first_text(body: MessageBody) -> str:
    if isinstance(body.content, str):
        return body.content
    return next((block.text for block in body.content or () if isinstance(block, Text)), "")


def tokens_of(usage: Usage) -> Tokens:
    """The billed counts, nulls and gaps filled in."""
    split, server = usage.cache_creation, usage.server_tool_use
    write_5m = (split.ephemeral_5m_input_tokens or 0) if split else 0
    write_1h = (split.ephemeral_1h_input_tokens or 0) if split else 0
    return Tokens(
        usage.input_tokens or 0,
        usage.output_tokens or 0,
        usage.cache_read_input_tokens or 0,
        # Up to 2.1.151 the total could be 0 beside a right split.
        max(usage.cache_creation_input_tokens or 0, write_5m + write_1h),
        write_5m,
        write_1h,
        (server.web_search_requests or 0) if server else 0,
        usage.speed or "",
        usage.inference_geo or "",
    )


def _user(entry: User, line: int, part: int) -> Message | None:
    body = entry.message
    if body is None or not entry.uuid:
        return None
    content = body.content
    if isinstance(content, list):
        pieces, texts = _user_pieces(entry, content)
        category, voice = _place(entry, content, texts)
    else:
        pieces, texts = (), [content or ""]
        category, voice = _place(entry, (), texts)
    message = Message(
        line=line,
        part=part,
        type="user",
        category=category,
        voice=voice,
        uuid=entry.uuid,
        parent_uuid=entry.parent_uuid or "",
        at=millis(entry.timestamp),
        agent_id=entry.agent_id or "",
        prompt_id=entry.prompt_id or "",
        is_sidechain=entry.is_sidechain is True,
        is_meta=entry.is_meta is True,
        pieces=pieces,
        source_tool_use_id=entry.source_tool_use_id or "",
    )
    if entry.forked_from is not None:
        message = structs.replace(message, forked_from=notes.fork(entry.forked_from))
    return spoken(message, "\n".join(texts)) if voice else message


def _user_pieces(entry: User, content: list[ContentBlock]) -> tuple[tuple[Piece, ...], list[str]]:
    pieces: list[Piece | None] = []
    texts: list[str] = []
    structured = entry.tool_use_result
    for n, block in enumerate(content):
        if type(block) is ToolResult:
            pieces.append(_result(n, block, entry, structured))
            structured = NULL  # it speaks of one result, the first
        elif type(block) is Text:
            texts.append(block.text)
            clean = tags.visible(block.text)
            pieces.append(Piece(n, "text", estimate.tokens(clean)) if clean else None)
        else:
            pieces.append(blocks.piece(n, block))
    return tuple([piece for piece in pieces if piece is not None]), texts


def _result(n: int, block: ToolResult, entry: User, structured: Raw) -> Piece | None:
    id = block.tool_use_id or entry.source_tool_use_id
    failed, denial = block.is_error is True, entry.tool_denial_kind or ""
    return results.result(n, id, block.content, failed, structured, denial) if id else None


def _place(
    entry: User, content: Sequence[ContentBlock], texts: list[str]
) -> tuple[Category, Voice]:
    if entry.is_compact_summary is True:
        return "compact", "meta"
    if content and not texts and type(content[0]) is ToolResult:
        return "ai", ""  # as most lists are
    kinds = set(map(type, content))
    if ToolResult in kinds:
        stops = any(tags.INTERRUPTED in text for text in texts)
        return "ai", "interruption" if stops else ""
    origin = (entry.origin.kind or "") if entry.origin else ""
    is_meta = entry.is_meta is True
    placed = together([classify(text, is_meta=is_meta, origin=origin) for text in texts])
    if placed != NOISE:
        return placed
    if Image in kinds and not is_meta:
        return "user", "prompt"
    return ("ai", "meta") if kinds - {Text} else NOISE


_READERS: Final[dict[type, Callable[[Any, int, int], Message | None]]] = {
    Assistant: _assistant,
    User: _user,
    System: notes.system,
    Attachment: attachments.attachment,
}
