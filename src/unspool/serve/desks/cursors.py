"""Cursors of lists: opaque strings that say where the next page starts."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from unspool.errors import NotFound
from unspool.serve.answers import Listed

Kind = TypeVar("Kind")
Item = TypeVar("Item")


def written(place: object) -> str:
    """A place as a cursor."""
    return urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def read(cursor: str, kind: type[Kind]) -> Kind | None:
    """The place of a cursor; None without one, NotFound if it is invalid."""
    if not cursor:
        return None
    try:
        data = urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError):
        raise NotFound("This cursor is invalid. Start again without one.") from None


def page(items: Sequence[Item], cursor: str, limit: int) -> Listed[Item]:
    """A page of a list that only grows at its end."""
    first = max(0, read(cursor, int) or 0)
    end = first + limit
    return Listed(
        items=tuple(items[first:end]), next_cursor=written(end) if end < len(items) else None
    )
