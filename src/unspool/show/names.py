"""What things are called in front of a reader: statuses with their shape, models, people."""

import re
from typing import Final, NamedTuple

from unspool.model.document import StatusName
from unspool.show import safe
from unspool.show.spans import Style


class Sign(NamedTuple):
    """How a status looks: colour never stands alone."""

    style: Style
    shape: str
    word: str
    phrase: str


STATUSES: Final[dict[StatusName, Sign]] = {
    "waiting_for_approval": Sign("wait", "▲", "approval", "waits for your approval"),
    "working": Sign("work", "●", "working", "at work"),
    "waiting_for_input": Sign("wait", "◇", "prompt", "waits for your prompt"),
    "idle": Sign("dim", "○", "idle", "idle"),
    "ended": Sign("dim", "■", "ended", "ended"),
}
_DATE: Final = re.compile(r"[-@]20\d{6}$")


def model(name: str | None) -> str:
    """A model without maker and date: `claude-opus-4-6-20260205` is opus-4-6."""
    return safe.brief(_DATE.sub("", name or "").removeprefix("claude-"), 60)


def title(text: str, fallback: str = "Untitled") -> str:
    """A title on one line."""
    return safe.brief(text, 300) or fallback
