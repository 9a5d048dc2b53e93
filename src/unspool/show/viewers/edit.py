"""Edit, MultiEdit, Write, NotebookEdit: the diff."""

from unspool.show.tools import edit
from unspool.show.tools.values import Fields
from unspool.show.viewers.pieces import Amount, Piece


def pieces(input: Fields, result: object, amount: Amount) -> list[Piece]:
    """The changed lines."""
    return amount.diff(edit.summary(input, result), edit.changes(input, result))
