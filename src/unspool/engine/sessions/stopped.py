"""The end of a transcript -> the limit or the error that stopped its session, if one did.

For a status line, which cannot wait for the model to load. What ordinary lines say is decided
here; where others follow the error, the fold of `derive/status` is asked.
"""

from collections.abc import Sequence
from typing import Any, Final

from unspool.decode.statusline import json_object
from unspool.derive.api_errors import failed_request, is_over
from unspool.derive.reading.clock import millis
from unspool.derive.reading.heads import beginning
from unspool.derive.usage.quota import limit_reset
from unspool.engine.quota import RecentQuota
from unspool.model.usage import ApiError

_NEEDLE: Final = b'"isApiErrorMessage"'
_HEAD: Final = 500  # characters that a message keeps of its text
_TALK: Final = frozenset(("user", "assistant", "attachment", "summary", "ended-by-model"))


def stop_of(lines: Sequence[bytes], now: int, quota: RecentQuota) -> ApiError | None:
    """What stops a session now, by its last lines."""
    for place in range(len(lines) - 1, -1, -1):
        failed = json_object(lines[place]) if _NEEDLE in lines[place] else None
        error = _error(failed) if failed else None
        if failed and error:
            at = millis(failed.get("timestamp")) or 0
            if error.state == "limited" and error.until is None:
                error = error._replace(until=limit_reset(error.text, at, quota()))
            is_past = is_over(at, error.until, now) or _goes_on(lines, place)
            return None if is_past else error
    return None


def _error(found: dict[str, Any]) -> ApiError | None:
    """The error of a line that Claude Code wrote in the model's place."""
    is_own = found.get("type") == "assistant" and found.get("isSidechain") is not True
    if not is_own or found.get("isApiErrorMessage") is not True or not found.get("uuid"):
        return None
    word = found.get("error")
    kind = word if word and isinstance(word, str) else "unknown"
    sentence = beginning(_text(found).strip(), _HEAD)
    return failed_request(kind, sentence, millis(found.get("timestamp")))


def _goes_on(lines: Sequence[bytes], error: int) -> bool:
    """Whether something of the conversation follows the error in that line."""
    later = [found for found in map(json_object, lines[error + 1 :]) if found and _is_talk(found)]
    if not later or any(map(_is_plain, later)):
        return bool(later)
    from unspool.decode.lines import decode  # noqa: PLC0415 - loads the model
    from unspool.derive.transcript import TranscriptFold, Views  # noqa: PLC0415

    fold = TranscriptFold("", views=Views.NONE)
    fold.feed_all((0, len(line), decode(line)) for line in lines)
    return fold.status.state.state not in ("limited", "failed")


def _is_talk(found: dict[str, Any]) -> bool:
    """Whether a line may say how the session stands: most are notes of the client."""
    is_command = found.get("type") == "system" and found.get("subtype") == "local_command"
    return found.get("isSidechain") is not True and (is_command or found.get("type") in _TALK)


def _is_plain(found: dict[str, Any]) -> bool:
    """Whether it is without doubt a prompt, or an answer of the model."""
    if not found.get("uuid") or found.get("isMeta") or found.get("isCompactSummary"):
        return False
    text = _text(found).strip()
    if found.get("type") == "assistant":
        return bool(text) and not found.get("isApiErrorMessage") and _model(found) != "<synthetic>"
    # A machine writes tags, brackets, or says where it comes from.
    is_machine = "<" in text or text.startswith(("[", "Another Claude session"))
    return found.get("type") == "user" and bool(text) and not (is_machine or found.get("origin"))


def _model(found: dict[str, Any]) -> object:
    message = found.get("message")
    return message.get("model") if isinstance(message, dict) else None


def _text(found: dict[str, Any]) -> str:
    """The first text of a message."""
    message = found.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else ()
    texts = (one.get("text") for one in blocks if isinstance(one, dict))
    return next((text for text in texts if isinstance(text, str)), "")
