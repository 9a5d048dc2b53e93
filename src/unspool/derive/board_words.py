"""A tool and its input -> one line: what the call would do, or what it asks."""

from collections.abc import Mapping
from typing import Final

from msgspec import MsgspecError, Raw
from msgspec.json import decode as from_json
from msgspec.json import encode as to_json

from unspool.derive.reading.heads import beginning
from unspool.model.hooks import HookEvent

_LONGEST: Final = 200
_READ: Final = 500
_WHOLE: Final = 20_000  # characters of a text that a page may be given to copy
_TELLING: Final = (
    "command", "file_path", "notebook_path", "path", "pattern", "query", "url", "skill",
    "description", "subject", "prompt", "plan", "message",
)  # fmt: skip
_QUESTION: Final = ("question", "plan", "prompt")
_READ_FIELDS: Final = frozenset({*_TELLING, *_QUESTION, "questions"})
QUESTIONS: Final = frozenset({"AskUserQuestion", "ExitPlanMode", "exit_plan_mode"})


def summary(given: Raw | bytes) -> str:
    """A tool's input in one line: the field that tells most about it."""
    found = _fields(given)
    told = (found.get(name) for name in _TELLING)
    return _line(next((value for value in told if isinstance(value, str) and value.strip()), ""))


def call_line(name: str, given: Raw | bytes) -> str:
    """A call in one line: the tool, and what it was given."""
    return f"{name} {summary(given)}".strip()


def waits_for(name: str, given: Raw | bytes) -> str:
    """What somebody has to decide: a question's own text, else the call."""
    if name in QUESTIONS:
        return _question(_fields(given)) or name
    return call_line(name, given)


def asked_text(name: str, given: Raw | bytes, *, is_cut: bool = False) -> str:
    """All that somebody has to decide on, as it was written: a command, a question, a path.

    Of an input that was cut, "" where its text may be longer than what is left.
    """
    found = _fields(given)
    asked = found.get("questions")
    first = asked[0] if name in QUESTIONS and isinstance(asked, list) and asked else found
    told = first if isinstance(first, dict) else {}
    fields = _QUESTION if name in QUESTIONS else _TELLING
    texts = (told.get(field) for field in fields)
    text = next((one for one in texts if isinstance(one, str) and one.strip()), "")
    # `beginning` never leaves less than half of what it may.
    return "" if (is_cut and len(text) >= _READ // 2) or len(text) > _WHOLE else text


def pane_name(value: Raw | bytes) -> str:
    """A tmux pane: a text as it is, or the session, window and pane of an object."""
    found = _fields(value)
    session, *inner = (found.get(name) for name in ("session", "window", "pane"))
    if not isinstance(session, str):
        return said(value)
    return _line(session + "".join(f":{one}" for one in inner if isinstance(one, str | int)))


def shortened(given: Raw | bytes) -> bytes:
    """As much of an input as the functions above read."""
    fields = {name: _cut(value) for name, value in _fields(given).items() if name in _READ_FIELDS}
    return to_json(fields)


def _cut(value: object) -> object:
    if isinstance(value, str):
        return beginning(value, _READ)
    if isinstance(value, list):
        # Only the first question is read out; of the others there is a count.
        return [_cut(one) for one in value[:1]] + [None] * (len(value) - 1)
    if isinstance(value, dict):
        return {name: _cut(one) for name, one in value.items() if name in _QUESTION}
    return None


def asks_for(event: HookEvent) -> str:
    """What a hook's event asks somebody to decide: a call, or a notification's own words."""
    told = _event_fields(event)
    if event.tool_name:
        return waits_for(event.tool_name, told.get("tool_input", b"{}"))
    return said(told.get("message", b"null"))


def event_text(event: HookEvent) -> str:
    """All of what a hook's event asks somebody to decide on."""
    return asked_text(event.tool_name, _event_fields(event).get("tool_input", b"{}"))


def _event_fields(event: HookEvent) -> Mapping[str, Raw]:
    try:
        return from_json(event.data, type=dict[str, Raw])
    except (MsgspecError, RecursionError, UnicodeError):
        return {}


def said(value: Raw | bytes) -> str:
    """A text on one line; "" for a value that is no text."""
    try:
        return _line(from_json(value, type=str))
    except (MsgspecError, RecursionError, UnicodeError):
        return ""


def _question(found: Mapping[str, object]) -> str:
    asked = found.get("questions")
    first = asked[0] if isinstance(asked, list) and asked else found
    said = first if isinstance(first, dict) else {}
    told = (said.get(name) for name in _QUESTION)
    text = next((one for one in told if isinstance(one, str) and one.strip()), "")
    more = f" (+{len(asked) - 1})" if isinstance(asked, list) and len(asked) > 1 else ""
    return _line(text) + more if text else ""


def _line(text: str) -> str:
    return beginning(" ".join(beginning(text, _READ).split()), _LONGEST)


def _fields(given: Raw | bytes) -> dict[str, object]:
    try:
        return from_json(given, type=dict[str, object])
    except (MsgspecError, RecursionError, UnicodeError):
        return {}
