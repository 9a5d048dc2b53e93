"""Any other tool, those of MCP servers too: its arguments as they are, and what it answered."""

import msgspec

from unspool.show.tools.values import Fields, said
from unspool.show.viewers.pieces import Amount, Piece, pairs, pictures

_MOST = 40
_LONGEST = 2_000


def pieces(input: Fields, result: object, amount: Amount) -> list[Piece]:
    """Arguments, pictures, text; a result without any text as the JSON it is."""
    given = pairs([(str(name), _told(value)) for name, value in list(input.items())[:_MOST]])
    content = said(result)
    if not content.strip() and result not in (None, "", [], {}):
        content = _told(result, pretty=True)
    return [*given, *pictures(result), *amount.output(content)]


def _told(value: object, *, pretty: bool = False) -> str:
    if isinstance(value, str):
        return value[:_LONGEST]
    data = msgspec.json.encode(value)
    return (msgspec.json.format(data) if pretty else data[:_LONGEST]).decode("utf-8", "replace")
