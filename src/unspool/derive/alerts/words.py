"""What an alert says: one line, short enough for a notification."""

from typing import Final

import msgspec
from msgspec import Raw

from unspool.derive.reading.estimate import TROUBLE
from unspool.model.alerts import Alert, AlertRule

LONGEST: Final = 500
_PICO: Final = 10**12


def alert(
    rule: AlertRule, message: str, *, session: str, about: str, at: int | None, project: str = ""
) -> Alert:
    """An alert; `about` tells it from the rule's other alerts of the session."""
    return Alert(
        rule=rule.name,
        session=session,
        at=at,
        message=brief(message),
        key=f"{rule.name}:{session}:{about}",
        project=project,
    )


def brief(text: str) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: LONGEST * 4].split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def dollars(pico: int) -> str:
    """Money to the cent."""
    return f"${pico / _PICO:,.2f}"


def said(raw: Raw | bytes) -> str:
    """The text of a tool's result; '' where there is none."""
    try:
        value = msgspec.json.decode(raw)
    except TROUBLE:
        return bytes(raw).decode("utf-8", "replace")
    if isinstance(value, list):
        texts = (block.get("text") for block in value if isinstance(block, dict))
        return "\n".join(text for text in texts if isinstance(text, str))
    return value if isinstance(value, str) else ""


def given(raw: Raw | bytes) -> dict[str, object]:
    """What a tool was given; nothing where it is no object."""
    try:
        value = msgspec.json.decode(raw)
    except TROUBLE:
        return {}
    return value if isinstance(value, dict) else {}


def json(value: object) -> str:
    """A value that came from JSON, written out."""
    return msgspec.json.encode(value).decode()
