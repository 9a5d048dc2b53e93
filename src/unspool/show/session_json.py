"""The session document as JSON, in pieces, and its JSON Schema."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from unspool.model.document import SessionDocument

_json: Final = msgspec.json.Encoder()


def document(
    document: msgspec.Struct,
    lists: Mapping[str, Iterable[Any]] | None = None,
    each: Callable[[bytes], bytes] = bytes,
) -> Iterator[bytes]:
    """The document's JSON, lists item by item; joined, it equals what msgspec encodes.

    `lists` are read in place of the document's own; `each` may change what a value says.
    """
    glue, replaced = b"{", lists or {}
    for field in msgspec.structs.fields(document):
        yield glue + _json.encode(field.encode_name) + b":"
        value = replaced.get(field.name, getattr(document, field.name))
        if isinstance(value, tuple) or field.name in replaced:
            yield from _array(value, each)
        else:
            yield each(_json.encode(value))
        glue = b","
    yield b"}"


def list_answer(items: Iterable[Any], forgotten: int = 0) -> Iterator[bytes]:
    """A list response with its items; how many were forgotten it says if any were."""
    yield b'{"items":'
    yield from _array(items)
    yield b',"nextCursor":null' + (b',"forgotten":%d' % forgotten if forgotten else b"") + b"}"


def _array(items: Iterable[Any], each: Callable[[bytes], bytes] = bytes) -> Iterator[bytes]:
    glue = b"["
    for item in items:
        yield glue + each(_json.encode(item))
        glue = b","
    yield b"[]" if glue == b"[" else b"]"


_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The JSON Schema of `unspool show --json`."""
    made = msgspec.json.schema(SessionDocument)
    for one in made["$defs"].values():
        if "description" in one:  # a docstring, which Python before 3.13 has with its indent
            one["description"] = "\n".join(map(str.strip, one["description"].splitlines()))
    return {"$schema": _DIALECT, "title": "unspool session", **made}


def schema_file() -> bytes:
    """The schema as it is published."""
    return msgspec.json.format(msgspec.json.encode(schema()), indent=2) + b"\n"
