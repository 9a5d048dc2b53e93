"""Read and its like: what stood in the file, or the picture it is."""

from unspool.show.tools.values import Fields, fields, said, text
from unspool.show.viewers.pieces import Amount, Piece, pictures


def pieces(input: Fields, result: object, amount: Amount) -> list[Piece]:
    """Pictures as pictures, the rest as text."""
    seen = pictures(result)
    content = text(fields(fields(result).get("file")), "content") or said(result)
    return seen or amount.output(content, "file")
