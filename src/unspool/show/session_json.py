"""The session document as JSON, in pieces, and its JSON Schema."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from unspool.model.document import SessionDocument

_json: Final = msgspec.json.Encoder()


def document(
    made: msgspec.Struct,
    lists: Mapping[str, Iterable[Any]] | None = None,
    each: Callable[[bytes], bytes] = bytes,
) -> Iterator[bytes]:
    """The document's JSON, a list's items one by one; joined, it is exactly what msgspec gives.

    `lists` are read in place of the document's own; `each` may change what a value says.
    """
    glue, given = b"{", lists or {}
    for field in msgspec.structs.fields(made):
        yield glue + _json.encode(field.encode_name) + b":"
        value = given.get(field.name, getattr(made, field.name))
        if isinstance(value, tuple) or field.name in given:
            yield from _array(value, each)
        else:
            yield each(_json.encode(value))
        glue = b","
    yield b"}"


def list_answer(items: Iterable[Any]) -> Iterator[bytes]:
    """A list answer: its items, and where the next ones begin."""
    yield b'{"items":'
    yield from _array(items)
    yield b',"nextCursor":null}'


def _array(items: Iterable[Any], each: Callable[[bytes], bytes] = bytes) -> Iterator[bytes]:
    glue = b"["
    for item in items:
        yield glue + each(_json.encode(item))
        glue = b","
    yield b"[]" if glue == b"[" else b"]"


_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """What `unspool show --json` promises."""
    return {"$schema": _DIALECT, "title": "unspool session", **msgspec.json.schema(SessionDocument)}


def schema_file() -> bytes:
    """The schema as it is published."""
    return msgspec.json.format(msgspec.json.encode(schema()), indent=2) + b"\n"
