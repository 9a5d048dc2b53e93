"""Bash: the whole command, and what it printed on each of its two streams."""

from unspool.show.tools.values import Fields, fields, said, text, without_tags
from unspool.show.viewers.pieces import Amount, Piece, pairs


def pieces(input: Fields, result: object, amount: Amount) -> list[Piece]:
    """A command of several lines in full, then stdout, then stderr."""
    command = text(input, "command", "script")
    shown = amount.output(command, "command") if "\n" in command.strip() else []
    about = pairs([("for", text(input, "description"))])
    values = fields(result)
    out, err = text(values, "stdout"), text(values, "stderr")
    if not out and not err:
        out = without_tags(said(result))
    return [*about, *shown, *amount.output(out), *amount.output(err, "errors")]
