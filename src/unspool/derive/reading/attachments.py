"""Attachments -> messages: a queued prompt, a hook's run, or something put into the context."""

from typing import Any, Final, TypeAlias

from unspool.derive.reading import estimate
from unspool.derive.reading.classify import NOISE, classify
from unspool.derive.reading.clock import millis
from unspool.derive.reading.heads import beginning
from unspool.derive.reading.notes import error_text, fork, plain, value
from unspool.derive.reading.speech import HEAD, spoken
from unspool.model.message import Category, Message, Piece, Voice
from unspool.model.transcript import Attachment, AttachmentBody

_FAILED_HOOKS: Final = frozenset({"hook_blocking_error", "hook_non_blocking_error"})
_NOTIFICATION: Final = "task-notification"
_LONGEST: Final = 2**53
# Where an object keeps what it shows; its other fields only say what it is.
_CARRIERS: Final = ("content", "text", "file")
_IMAGES: Final = ("image", "pdf", "document")

_Kind: TypeAlias = tuple[Category, Voice, tuple[Piece, ...]]


def attachment(entry: Attachment, line: int, part: int) -> Message | None:
    """Read an attachment; what we know no better is something injected."""
    body = entry.attachment
    if body is None or not entry.uuid:
        return None
    category, voice, pieces = _kind(entry, body)
    message = Message(
        line=line,
        part=part,
        type="attachment",
        subtype=body.type,
        category=category,
        voice=voice,
        uuid=entry.uuid,
        parent_uuid=entry.parent_uuid or "",
        at=millis(entry.timestamp),
        agent_id=entry.agent_id or "",
        is_sidechain=entry.is_sidechain is True,
        pieces=pieces,
        head=beginning(hook_text(body), HEAD) if voice == "hook" else "",
        forked_from=fork(entry.forked_from),
    )
    return spoken(message, plain(body.prompt)) if body.type == "queued_command" else message


def _kind(entry: Attachment, body: AttachmentBody) -> _Kind:
    if body.type == "queued_command":
        return _queued(entry, body)
    if body.hook_event or body.type.startswith(("hook_", "async_hook")):
        return "noise", "hook", (_hook(body),)
    text, images = shown(entry)
    weight = estimate.tokens(text) + images * estimate.IMAGE_TOKENS
    return "noise", "injected", (Piece(0, "other", weight, name=body.type, path=_path(body)),)


def _path(body: AttachmentBody) -> str:
    path = body.file_path or body.filename or body.path
    if not path and body.type == "nested_memory":
        content = value(body.content)
        named = content.get("path") if isinstance(content, dict) else None
        path = named if isinstance(named, str) else None
    return path or body.display_path or ""


def _queued(entry: Attachment, body: AttachmentBody) -> _Kind:
    """A prompt typed while the model worked may live nowhere else."""
    origin = (body.origin.kind or "") if body.origin else ""
    if not origin and body.command_mode == _NOTIFICATION:
        origin = _NOTIFICATION
    placed = classify(plain(body.prompt), is_meta=entry.is_meta is True, origin=origin)
    given = value(body.prompt)
    images = tuple(
        Piece(n, "image", estimate.IMAGE_TOKENS)
        for n, block in enumerate(given if isinstance(given, list) else ())
        if isinstance(block, dict) and block.get("type") == "image"
    )
    return (*(("user", "prompt") if images and placed == NOISE else placed), images)


def _hook(body: AttachmentBody) -> Piece:
    spent = body.duration_ms
    return Piece(
        0,
        "hook",
        estimate.tokens(hook_text(body)),
        body.tool_use_id or "",
        body.hook_name or body.hook_event or body.type,
        body.type in _FAILED_HOOKS or bool(body.exit_code),
        flag=body.type,
        duration_ms=int(spent) if spent is not None and 0 <= spent < _LONGEST else None,
    )


def hook_text(body: AttachmentBody) -> str:
    """What a hook said."""
    return body.stderr or body.stdout or plain(body.content) or error_text(body.blocking_error)


def shown(entry: Attachment) -> tuple[str, int]:
    """What the model was shown: text and how many images; as rendered where the line says so."""
    body = entry.attachment or AttachmentBody()
    rendered = value(entry.rendered)
    if rendered is not None:
        return _told([rendered])
    fields = (
        body.content, body.text, body.snippet, body.skills, body.files, body.plan_content,
        body.added_lines, body.added_blocks,
    )  # fmt: skip
    return _told([value(raw) for raw in fields])


def _told(values: list[Any]) -> tuple[str, int]:
    texts: list[str] = []
    images = 0
    waiting = values[::-1]  # the next one last
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            texts.append(found)
        elif isinstance(found, list):
            waiting += reversed(found)
        elif isinstance(found, dict):
            if found.get("type") in _IMAGES or "base64" in found:
                images += 1
            else:
                waiting += _carried(found)
    return "\n".join(texts), images


def _carried(found: dict[str, Any]) -> list[Any]:
    for name in _CARRIERS:
        if found.get(name) is not None:
            return [found[name]]
    return list(found.values())[::-1]
