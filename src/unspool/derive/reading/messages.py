"""Entry -> message: everything later steps ask of a line, but not its text."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from msgspec import Raw, structs

from unspool.derive.reading import blocks, estimate, notes, results, tags
from unspool.derive.reading.classify import classify
from unspool.derive.reading.clock import millis
from unspool.derive.reading.notes import HEAD, fork
from unspool.model.blocks import NULL, Block, Text, ToolResult
from unspool.model.message import Category, Message, Piece, Tokens, Voice
from unspool.model.transcript import Assistant, Attachment, Body, Entry, System, Usage, User

SYNTHETIC: Final = "<synthetic>"
_NAMES_FILES: Final = ("prompt", "command", "meta")


def read(entry: Entry, line: int, part: int = 0) -> Message | None:
    """Read one entry; None where it is no part of the conversation."""
    reader = _READERS.get(type(entry))
    return None if reader is None else reader(entry, line, part)


def read_all(lines: Iterable[Sequence[Entry]]) -> list[Message]:
    """Read every line of a file, given the entries each line held."""
    found = (
        read(entry, number, part)
        for number, entries in enumerate(lines, 1)
        for part, entry in enumerate(entries)
    )
    return [message for message in found if message is not None]


def _assistant(entry: Assistant, line: int, part: int) -> Message | None:
    body = entry.message
    if body is None:
        return None
    model = body.model or ""
    is_notice = model == SYNTHETIC or entry.is_api_error_message is True
    pieces = _pieces(body.content)
    return Message(
        line=line,
        part=part,
        type="assistant",
        # Without a uuid it is no message, but what it used was used.
        category="ai" if entry.uuid else "noise",
        voice="notice" if is_notice else "",
        uuid=entry.uuid or "",
        parent_uuid=entry.parent_uuid or "",
        at=millis(entry.timestamp),
        agent_id=entry.agent_id or "",
        is_sidechain=entry.is_sidechain is True,
        pieces=_as_notices(pieces) if is_notice else pieces,
        head=_first_text(body)[:HEAD] if is_notice else "",
        model=model,
        message_id=body.id or "",
        request_id=entry.request_id or "",
        tokens=None if body.usage is None or model == SYNTHETIC else _tokens(body.usage),
        stop_reason=body.stop_reason or "",
        forked_from=fork(entry.forked_from),
    )


def _pieces(content: str | list[Block] | None) -> tuple[Piece, ...]:
    if isinstance(content, str):
        content = [Text(content)]
    noted = [blocks.piece(n, block) for n, block in enumerate(content or ())]
    return tuple([piece for piece in noted if piece is not None])


def _as_notices(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    return tuple(
        structs.replace(piece, kind="notice", is_error=True) if piece.kind == "text" else piece
        for piece in pieces
    )


def _first_text(body: Body) -> str:
    if isinstance(body.content, str):
        return body.content
    return next((block.text for block in body.content or () if isinstance(block, Text)), "")


def _tokens(usage: Usage) -> Tokens:
    split = usage.cache_creation
    write_5m = max(0, split.ephemeral_5m_input_tokens or 0) if split else 0
    write_1h = max(0, split.ephemeral_1h_input_tokens or 0) if split else 0
    server = usage.server_tool_use
    return Tokens(
        max(0, usage.input_tokens or 0),
        max(0, usage.output_tokens or 0),
        max(0, usage.cache_read_input_tokens or 0),
        # Up to 2.1.151 the total could be 0 beside a right split.
        max(usage.cache_creation_input_tokens or 0, write_5m + write_1h),
        write_5m,
        write_1h,
        max(0, server.web_search_requests or 0) if server else 0,
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
    else:
        pieces, texts = (), [content or ""]
    category, voice = _place(entry, pieces, texts)
    text = "\n".join(texts) if voice else ""
    clean = tags.sanitise(text) if text else ""
    if clean and not pieces:
        pieces = (Piece(0, "text", estimate.tokens(clean)),)
    return Message(
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
        head=clean[:HEAD],
        text_tokens=_team_tokens(text) if voice == "teammate" else estimate.tokens(clean),
        mentions=tags.mentions(clean) if voice in _NAMES_FILES else (),
        source_tool_use_id=entry.source_tool_use_id or "",
        reports=tuple(tags.notifications(text)) if voice == "notification" else (),
        forked_from=fork(entry.forked_from),
    )


def _team_tokens(text: str) -> int:
    return sum(estimate.tokens(one.text) for one in tags.teammates(text))


def _user_pieces(entry: User, content: list[Block]) -> tuple[tuple[Piece, ...], list[str]]:
    pieces: list[Piece | None] = []
    texts: list[str] = []
    structured = entry.tool_use_result
    for n, block in enumerate(content):
        if isinstance(block, ToolResult):
            pieces.append(_result(n, block, entry, structured))
            structured = NULL  # it speaks of one result, the first
        elif isinstance(block, Text):
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


def _place(entry: User, pieces: tuple[Piece, ...], texts: list[str]) -> tuple[Category, Voice]:
    if entry.is_compact_summary is True:
        return "compact", "meta"
    kinds = {piece.kind for piece in pieces}
    if "result" in kinds:
        stops = any(tags.INTERRUPTED in text for text in texts)
        return "ai", "interruption" if stops else ""
    origin = (entry.origin.kind or "") if entry.origin else ""
    placed = [classify(text, is_meta=entry.is_meta is True, origin=origin) for text in texts]
    told = [one for one in placed if one[0] != "noise"]
    if told:
        # One block that is not the person's own makes the whole line the machine's.
        return next((one for one in told if one[0] != "user"), told[0])
    if "image" in kinds and entry.is_meta is not True:
        return "user", "prompt"
    return ("ai", "meta") if kinds & {"document", "other", "image"} else ("noise", "reminder")


_READERS: Final[dict[type, Callable[[Any, int, int], Message | None]]] = {
    Assistant: _assistant,
    User: _user,
    System: notes.system,
    Attachment: notes.attachment,
}
