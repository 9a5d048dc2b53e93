"""WebFetch and WebSearch: what was asked of the page, and what was found."""

from unspool.show import safe
from unspool.show.tools import web
from unspool.show.tools.values import Fields, fields, said, text
from unspool.show.viewers.pieces import Amount, Found, Piece, pairs


def pieces(input: Fields, result: object, amount: Amount) -> list[Piece]:
    """The question, the results with their addresses, the answer."""
    asked = pairs([("asked", text(input, "prompt")), ("address", text(input, "url"))])
    hits = tuple(
        (safe.brief(text(hit, "title"), 200), safe.brief(text(hit, "url"), 500))
        for hit in web.results(fields(result))
    )
    found: list[Piece] = [Found(hits)] if hits else []
    return [*asked, *found, *amount.output(said(result), "answer")]
