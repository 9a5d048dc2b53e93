"""A document -> JSON in pieces, so that a long session needs no second copy of itself."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

_json: Final = msgspec.json.Encoder()


def document(made: msgspec.Struct) -> Iterator[bytes]:
    """The document's JSON, a list's items one by one; joined, it is exactly what msgspec gives."""
    glue = b"{"
    for field in msgspec.structs.fields(made):
        yield glue + _json.encode(field.encode_name) + b":"
        value = getattr(made, field.name)
        if isinstance(value, tuple):
            yield from _array(value)
        else:
            yield _json.encode(value)
        glue = b","
    yield b"}"


def listed(items: Iterable[Any]) -> Iterator[bytes]:
    """A list answer: its items, and where the next ones begin."""
    yield b'{"items":'
    yield from _array(items)
    yield b',"nextCursor":null}'


def _array(items: Iterable[Any]) -> Iterator[bytes]:
    glue = b"["
    for item in items:
        yield glue + _json.encode(item)
        glue = b","
    yield b"[]" if glue == b"[" else b"]"
