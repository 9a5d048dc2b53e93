"""Plan mode: the plan that was put to the user, as prose."""

from unspool.show.tools import plan
from unspool.show.tools.values import Fields, said
from unspool.show.viewers.pieces import Amount, Piece


def pieces(input: Fields, result: object, amount: Amount) -> list[Piece]:
    """The plan, and what was said to it."""
    return [*amount.words(plan.plan(input, result)), *amount.output(said(result), "answer")]
