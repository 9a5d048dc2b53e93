"""A user line's text -> its category and its voice."""

from collections.abc import Sequence
from typing import Final

from unspool.derive.reading import tags
from unspool.model.message import Category, Voice

NOISE: Final[tuple[Category, Voice]] = ("noise", "reminder")

# Prefix -> what the text is; the first that fits wins.
_PREFIXES: Final[tuple[tuple[str, Category, Voice], ...]] = (
    ("<local-command-stdout>", "system", "stdout"),
    ("<local-command-stderr>", "system", "stderr"),
    ("<bash-input>", "system", "bash_input"),
    ("<bash-stdout>", "system", "bash_output"),
    ("<bash-stderr>", "system", "bash_output"),
    ("<task-notification>", "ai", "notification"),
    ("<agent-notification>", "ai", "notification"),
    (f"<{tags.MEMORY}>", "user", "memory"),
    (tags.INTERRUPTED, "ai", "interruption"),
)
_ORIGINS: Final[dict[str, Voice]] = {"task-notification": "notification", "peer": "teammate"}


def classify(text: str, *, is_meta: bool = False, origin: str = "") -> tuple[Category, Voice]:
    """Place a user text. Reminders and caveats are looked through, never at."""
    rest = tags.visible(text)
    if not rest:
        return NOISE
    placed = _tagged(rest)
    if placed is not None:
        return placed
    if origin and origin != "human":
        return "ai", _ORIGINS.get(origin, "meta")
    if is_meta:
        return "ai", "skill" if rest.startswith(tags.SKILL) else "meta"
    if rest.startswith(("<command-name>", "<command-message>")):
        return "user", "command"
    return "user", "prompt"


def _tagged(rest: str) -> tuple[Category, Voice] | None:
    if not rest.startswith(("<", "[", "Another Claude session")):
        return None
    for prefix, category, voice in _PREFIXES:
        if rest.startswith(prefix):
            silent = voice in ("stdout", "stderr") and not tags.output(rest)
            return NOISE if silent else (category, voice)
    if tags.event(rest) is not None:
        return "ai", "event"
    return ("ai", "teammate") if tags.is_teammate(rest) else None


def together(placed: Sequence[tuple[Category, Voice]]) -> tuple[Category, Voice]:
    """Place a line of several texts: one that is the machine's own makes all of it so."""
    told = [one for one in placed if one != NOISE]
    # A prompt written into an interruption is the line's point.
    told = [one for one in told if one[1] != "interruption"] or told
    return next((one for one in told if one[0] != "user"), told[0]) if told else NOISE
