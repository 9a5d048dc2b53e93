"""Pages of lists, and their cursors: opaque strings that say where the next page starts."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from unspool.errors import NotFound
from unspool.json_depth import shallow

Kind = TypeVar("Kind")
Item = TypeVar("Item")


class Listed(Struct, Generic[Item], frozen=True, kw_only=True, rename="camel"):
    """Some items, and the cursor of the next page."""

    items: tuple[Item, ...]
    next_cursor: str | None = None


def encode_cursor(position: object) -> str:
    """A position as a cursor."""
    return urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def decode_cursor(cursor: str, kind: type[Kind]) -> Kind | None:
    """The position of a cursor; None for an empty one, NotFound if it is invalid."""
    if not cursor:
        return None
    try:
        data = urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        return msgspec.json.decode(shallow(data), type=kind)
    except (ValueError, RecursionError):
        raise NotFound("This cursor is invalid. Start again without one.") from None


def list_page(items: Sequence[Item], cursor: str, limit: int) -> Listed[Item]:
    """A page of a list that grows only at its end."""
    first = max(0, decode_cursor(cursor, int) or 0)
    end = first + limit
    return Listed(
        items=tuple(items[first:end]), next_cursor=encode_cursor(end) if end < len(items) else None
    )
