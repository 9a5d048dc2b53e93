"""Agent, Task, SendMessage, Skill and their like: what was asked, and what came back."""

from unspool.show.tools.values import Fields, said, text
from unspool.show.viewers.pieces import Amount, Piece, pairs

_GIVEN = ("subagent_type", "model", "isolation", "recipient", "to", "team_name", "skill", "args")


def pieces(input: Fields, result: object, amount: Amount) -> list[Piece]:
    """Who, what it was told, what it answered; both are prose."""
    who = pairs([(name.replace("_", " "), text(input, name)) for name in _GIVEN])
    asked = amount.words(text(input, "prompt", "message", "content"), "asked")
    return [*who, *asked, *amount.words(said(result), "answered")]
