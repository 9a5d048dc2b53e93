"""TodoWrite and the Task lists: a check list, or the one task with what is known of it."""

from unspool.show import safe
from unspool.show.tools.values import Fields, fields, rows, said, text
from unspool.show.viewers.pieces import Amount, Check, Checks, Piece

_MOST = 200


def pieces(input: Fields, result: object, amount: Amount) -> list[Piece]:
    """The list; of a single task what was said about it."""
    listed = rows(input, "todos") or rows(fields(result), "tasks")
    if not listed:
        return [*amount.words(text(input, "description")), *amount.output(said(result))]
    items = ((text(one, "content", "subject"), text(one, "status")) for one in listed[:_MOST])
    return [Checks(tuple(Check(safe.brief(content), status) for content, status in items))]
