"""Grep, Glob and their like: what was found."""

from unspool.show.tools.values import Fields, said
from unspool.show.viewers.pieces import Amount, Piece, pairs

_ASKED = ("path", "glob", "type", "output_mode")


def pieces(input: Fields, result: object, amount: Amount) -> list[Piece]:
    """Where was looked, and the hits."""
    asked = ((name, input.get(name)) for name in _ASKED)
    where = pairs([(name, value) for name, value in asked if isinstance(value, str)])
    return [*where, *amount.output(said(result), "hits")]
