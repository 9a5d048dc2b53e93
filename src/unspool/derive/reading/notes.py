"""System lines -> messages: what the client noted beside the talk."""

from typing import Any, Final

import msgspec
from msgspec import Raw, structs

from unspool.derive.reading import estimate
from unspool.derive.reading.classify import classify
from unspool.derive.reading.clock import millis
from unspool.derive.reading.estimate import TROUBLE
from unspool.derive.reading.heads import beginning
from unspool.derive.reading.speech import HEAD, aloud, spoken
from unspool.model.message import Category, Message, Piece, Voice
from unspool.model.transcript import ForkedFrom, System

# Subtype -> what to call it, and whether something went wrong.
_NOTICES: Final = {
    "api_error": ("API error", True),
    "error": ("Error", True),
    "permission_denied": ("Permission denied", True),
    "permission_granted": ("Permission granted", False),
    "model_refusal_fallback": ("Refused by the model", True),
    "model_refusal_no_fallback": ("Refused by the model", True),
    "model_fallback": ("Another model answered", False),
    "model_consent_fallback": ("Another model answered", False),
    "agents_killed": ("Agents killed", False),
}
_SENTENCES: Final = ("message", "error", "blockingError", "cause", "code", "status")
_any: Final = msgspec.json.Decoder()


def fork(origin: ForkedFrom | None) -> tuple[str, str] | None:
    """Where a copied line came from."""
    return (origin.session_id or "", origin.message_uuid or "") if origin else None


def system(entry: System, line: int, part: int) -> Message | None:
    """Read a system line: mostly noise, sometimes a notice, a hook or a command."""
    if not entry.uuid:
        return None
    text = plain(entry.content)
    category, voice = _place(entry, text)
    message = Message(
        line=line,
        part=part,
        type="system",
        subtype=entry.subtype or "",
        category=category,
        voice=voice,
        uuid=entry.uuid,
        parent_uuid=entry.parent_uuid or "",
        at=millis(entry.timestamp),
        agent_id=entry.agent_id or "",
        is_sidechain=entry.is_sidechain is True,
        is_meta=entry.is_meta is True,
        pieces=_pieces(entry, voice, text),
        duration_ms=entry.duration_ms,
    )
    message = _linked(message, entry)
    if entry.subtype == "local_command":
        return spoken(message, text)
    return structs.replace(message, head=beginning(system_text(entry, voice), HEAD))


def _linked(message: Message, entry: System) -> Message:
    """Put in what few lines have: where they continue, and what was compacted there."""
    boundary = entry.compact_metadata
    if boundary is None and entry.logical_parent_uuid is None and entry.forked_from is None:
        return message
    marks = boundary and (boundary.trigger or "", boundary.pre_tokens, boundary.post_tokens)
    return structs.replace(
        message,
        logical_parent_uuid=entry.logical_parent_uuid or "",
        compaction=marks,
        forked_from=fork(entry.forked_from),
    )


def _place(entry: System, text: str) -> tuple[Category, Voice]:
    subtype = entry.subtype or ""
    if subtype in _NOTICES:
        return "ai", "notice"
    if subtype == "local_command":
        placed = classify(text)
        # Text without a tag is what the command answered: no person typed it to the model.
        return ("system", "stdout") if placed[1] == "prompt" else placed
    # Up to 2025 a hook's message had no subtype.
    is_hook = subtype == "stop_hook_summary" or (not subtype and entry.tool_use_id)
    return "noise", "hook" if is_hook else ""


def _pieces(entry: System, voice: Voice, text: str) -> tuple[Piece, ...]:
    if voice == "notice":
        subtype = entry.subtype or ""
        weight, (_, failed) = estimate.tokens(text), _NOTICES[subtype]
        return (Piece(0, "notice", weight, name=subtype, is_error=failed),)
    if voice == "hook":
        failed = bytes(entry.hook_errors) not in (b"null", b"[]")
        spent = [info.duration_ms or 0 for info in entry.hook_infos or ()]
        name = "Stop" if entry.subtype else "hook"
        duration = sum(spent) if spent else None
        return (Piece(0, "hook", 0, entry.tool_use_id or "", name, failed, duration_ms=duration),)
    return ()


def system_text(entry: System, voice: Voice) -> str:
    """All that a system line says."""
    text = plain(entry.content)
    if voice == "hook":
        return aloud(text, voice) or _hook_trouble(entry)
    if voice != "notice":
        return aloud(text, voice)
    said = text or error_text(entry.error) or _NOTICES[entry.subtype or ""][0]
    if entry.fallback_model:
        return f"{entry.original_model or 'The model'} → {entry.fallback_model}. {text}".strip()
    if entry.retry_attempt:
        most = f" of {entry.max_retries}" if entry.max_retries else ""
        return f"{said} (retry {entry.retry_attempt}{most})"
    return said


def _hook_trouble(entry: System) -> str:
    """What went wrong in a turn's stop hooks, and which commands they are."""
    errors = value(entry.hook_errors)
    listed = errors if isinstance(errors, list) else [errors] if errors else []
    told = [error_text(Raw(msgspec.json.encode(one))) for one in listed]
    if entry.prevented_continuation is True and entry.stop_reason:
        told.append(entry.stop_reason)
    commands = [info.command for info in entry.hook_infos or () if info.command]
    if listed and commands:
        told.append(f"({', '.join(commands)})")
    return "\n".join(filter(None, told))


def error_text(raw: Raw) -> str:
    """The sentence inside an error, which is a string, an object, or an object in an object."""
    found = value(raw)
    for _ in range(4):
        if not isinstance(found, dict):
            break
        found = next((found[name] for name in _SENTENCES if found.get(name)), None)
    if isinstance(found, str):
        return found
    return "" if found is None else bytes(raw).decode("utf-8", "replace")


def plain(raw: Raw) -> str:
    """Text kept as a string, as a list of strings, or as a list of text blocks."""
    found = value(raw)
    if isinstance(found, list):
        texts = [one.get("text") if isinstance(one, dict) else one for one in found]
        return "\n".join(text for text in texts if isinstance(text, str))
    return found if isinstance(found, str) else ""


def value(raw: Raw) -> Any:
    """Read a JSON value; where it cannot be read, its bytes are the text."""
    try:
        return _any.decode(raw)
    except TROUBLE:
        return bytes(raw).decode("utf-8", "replace")
