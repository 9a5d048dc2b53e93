"""System lines and attachments -> messages: what the client noted beside the talk."""

from typing import Final

import msgspec
from msgspec import Raw

from unspool.derive.reading import estimate, tags
from unspool.derive.reading.classify import classify
from unspool.derive.reading.clock import millis
from unspool.model.message import Category, Message, Piece, Voice
from unspool.model.transcript import Attachment, AttachmentBody, Chained, ForkedFrom, System

HEAD = 500
_NOTICES: Final = frozenset(
    {
        "api_error",
        "error",
        "model_refusal_fallback",
        "model_refusal_no_fallback",
        "model_fallback",
        "model_consent_fallback",
        "permission_denied",
        "permission_granted",
        "agents_killed",
    }
)
_FAILED_HOOKS: Final = frozenset({"hook_blocking_error", "hook_non_blocking_error"})
_any: Final = msgspec.json.Decoder()


def fork(origin: ForkedFrom | None) -> tuple[str, str] | None:
    """Where a copied line came from."""
    return (origin.session_id or "", origin.message_uuid or "") if origin else None


def system(entry: System, line: int, part: int) -> Message | None:
    """Read a system line: mostly noise, sometimes a notice, a hook or a command."""
    if not entry.uuid:
        return None
    subtype = entry.subtype or ""
    text = plain(entry.content)
    category, voice, pieces = _system_kind(entry, subtype, text)
    boundary = entry.compact_metadata
    return _message(
        entry,
        line,
        part,
        type="system",
        subtype=subtype,
        category=category,
        voice=voice,
        logical_parent_uuid=entry.logical_parent_uuid or "",
        is_meta=entry.is_meta is True,
        pieces=pieces,
        head=_notice_text(entry, text) if voice == "notice" else tags.sanitise(text)[:HEAD],
        compaction=(boundary.trigger or "", boundary.pre_tokens, boundary.post_tokens)
        if boundary
        else None,
        duration_ms=entry.duration_ms,
        forked_from=fork(entry.forked_from),
    )


def _system_kind(
    entry: System, subtype: str, text: str
) -> tuple[Category, Voice, tuple[Piece, ...]]:
    if subtype in _NOTICES:
        weight = estimate.tokens(text)
        return "ai", "notice", (Piece(0, "notice", weight, name=subtype, is_error=True),)
    if subtype == "local_command":
        return *classify(text), (Piece(0, "text", estimate.tokens(text)),)
    if subtype == "stop_hook_summary":
        failed = bytes(entry.hook_errors) not in (b"null", b"[]")
        spent = sum(info.duration_ms or 0 for info in entry.hook_infos or ())
        piece = Piece(0, "hook", 0, entry.tool_use_id or "", "Stop", failed, duration_ms=spent)
        return "noise", "hook", (piece,)
    if not subtype and entry.tool_use_id:
        return "noise", "hook", (Piece(0, "hook", 0, entry.tool_use_id, "hook"),)
    return "noise", "", ()


def _notice_text(entry: System, text: str) -> str:
    if entry.subtype == "api_error":
        retry = f" (retry {entry.retry_attempt} of {entry.max_retries})"
        said = text or error_text(entry.error) or "API error"
        return (said + (retry if entry.retry_attempt else ""))[:HEAD]
    if entry.fallback_model:
        return f"{entry.original_model or 'The model'} → {entry.fallback_model}. {text}"[:HEAD]
    return (text or error_text(entry.error) or (entry.subtype or "").replace("_", " "))[:HEAD]


def error_text(raw: Raw) -> str:
    """The sentence inside an error, which is a string, an object, or an object in an object."""
    try:
        value = _any.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return ""
    for _ in range(4):
        if not isinstance(value, dict):
            break
        value = value.get("message") or value.get("error") or value.get("status")
    return value if isinstance(value, str) else "" if value is None else str(value)[:HEAD]


def attachment(entry: Attachment, line: int, part: int) -> Message | None:
    """Read an attachment: a queued prompt, a hook's run, or something put into the context."""
    body = entry.attachment
    if body is None or not entry.uuid:
        return None
    if body.type == "queued_command":
        return _queued(entry, body, line, part)
    if body.hook_event or body.type.startswith(("hook_", "async_hook")):
        return _hook(entry, body, line, part)
    weight = sum(estimate.json_units(bytes(raw)) for raw in (body.content, body.text) if raw)
    path = body.file_path or body.filename or body.path or body.display_path or ""
    piece = Piece(0, "other", (weight + 3) // 4, name=body.type, path=path)
    return _message(
        entry, line, part, type="attachment", subtype=body.type, category="noise",
        voice="injected", pieces=(piece,), forked_from=fork(entry.forked_from),
    )  # fmt: skip


def _queued(entry: Attachment, body: AttachmentBody, line: int, part: int) -> Message:
    """A prompt typed while the model worked may live nowhere else."""
    text = plain(body.prompt)
    origin = (body.origin.kind or "") if body.origin else ""
    category, voice = classify(text, is_meta=entry.is_meta is True, origin=origin)
    clean = tags.sanitise(text)
    return _message(
        entry,
        line,
        part,
        type="attachment",
        subtype=body.type,
        category=category,
        voice=voice,
        pieces=(Piece(0, "text", estimate.tokens(clean)),),
        head=clean[:HEAD],
        text_tokens=estimate.tokens(clean),
        mentions=tags.mentions(clean),
        reports=tuple(tags.notifications(text)),
    )


def _hook(entry: Attachment, body: AttachmentBody, line: int, part: int) -> Message:
    said = body.stderr or body.stdout or plain(body.content) or error_text(body.blocking_error)
    piece = Piece(
        0,
        "hook",
        estimate.tokens(said),
        body.tool_use_id or "",
        body.hook_name or body.hook_event or body.type,
        body.type in _FAILED_HOOKS or bool(body.exit_code),
        duration_ms=None if body.duration_ms is None else int(body.duration_ms),
        flag=body.type,
    )
    return _message(
        entry, line, part, type="attachment", subtype=body.type, category="noise", voice="hook",
        pieces=(piece,), head=said[:HEAD],
    )  # fmt: skip


def plain(raw: Raw) -> str:
    """Text kept as a string or as a list of text blocks."""
    data = bytes(raw)
    if data == b"null":
        return ""
    try:
        value = _any.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return ""
    if isinstance(value, list):
        texts = [one.get("text") for one in value if isinstance(one, dict)]
        return "\n".join(text for text in texts if isinstance(text, str))
    return value if isinstance(value, str) else ""


def _message(entry: Chained, line: int, part: int, **given: object) -> Message:
    return Message(
        line=line,
        part=part,
        uuid=entry.uuid or "",
        parent_uuid=entry.parent_uuid or "",
        at=millis(entry.timestamp),
        agent_id=entry.agent_id or "",
        is_sidechain=entry.is_sidechain is True,
        **given,  # type: ignore[arg-type]
    )
