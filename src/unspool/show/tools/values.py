"""A tool's input and result, which may be anything -> their fields and texts."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import msgspec

from unspool.show import safe
from unspool.show.spans import Line, Style, folded, more

Fields: TypeAlias = Mapping[str, Any]

_SHOWN: Final = 200
_TAGS: Final = re.compile(r"</?(?:tool_use_error|error|stdout|stderr)>")
_any: Final = msgspec.json.Decoder()
_indented: Final = json.JSONEncoder(indent=2, ensure_ascii=False)


def read(raw: bytes | msgspec.Raw) -> Any:
    """Decode raw JSON of a document; None when it is invalid."""
    try:
        return _any.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def fields(value: object) -> Fields:
    """An object's fields; empty for anything else."""
    return value if isinstance(value, dict) else {}


def text(values: Fields, *names: str) -> str:
    """The first of these fields that is a text and not blank."""
    candidates = (values.get(name) for name in names)
    return next((value for value in candidates if isinstance(value, str) and value.strip()), "")


def number(values: Fields, name: str) -> int | None:
    """A field that is a whole number."""
    value = values.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def rows(values: Fields, name: str) -> list[Fields]:
    """A field that is a list of objects."""
    value = values.get(name)
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def result_text(result: object) -> str:
    """The text of a result: a string, content blocks, or an object that holds one of these."""
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        return "\n".join(part for part in map(_block_text, result) if part)
    values = fields(result)
    own = values.get("content")
    if isinstance(own, str | list):
        return result_text(own)
    return text(values, "result", "text", "message", "error", "stdout")


def _block_text(block: object) -> str:
    if isinstance(block, str):
        return block
    kind = _image_kind(block)
    return f"[{kind}]" if kind else text(fields(block), "text", "tool_name")


def _image_kind(block: object) -> str:
    kind = text(fields(block), "type")
    return kind if kind in ("image", "document") else ""


def images(result: object) -> tuple[list[str], object]:
    """What images and documents a result has, in their order, and the result without them."""
    own = fields(result).get("content")
    blocks = result if isinstance(result, list) else own
    if not isinstance(blocks, list):
        return [], result
    kinds = [kind for kind in map(_image_kind, blocks) if kind]
    rest = [block for block in blocks if not _image_kind(block)]
    return kinds, rest if blocks is result else {**fields(result), "content": rest}


def without_tags(content: str) -> str:
    """A message without the tags the client puts around it."""
    return _TAGS.sub("", content)


def short(value: object) -> str:
    """A value, short enough for part of a line."""
    if isinstance(value, str):
        return safe.brief(value, _SHOWN)
    return safe.brief(msgspec.json.encode(value).decode(), _SHOWN)


def pretty_json(value: object, longest: int) -> str:
    """Indented JSON, up to a length: deep inside, indentation is most of it."""
    pieces: list[str] = []
    room = longest
    for piece in _indented.iterencode(value):
        pieces.append(piece[:room])
        room -= len(piece)
        if room <= 0:
            break
    return "".join(pieces)


def excerpt(content: str, head: int, tail: int = 0, style: Style = "dim") -> list[Line]:
    """The first and last lines of a text, and how many are left out."""
    first, hidden, last = folded(safe.raw_lines(content), head, tail)
    return [
        *(((style, safe.line(one)),) for one in first),
        *more(hidden),
        *(((style, safe.line(one)),) for one in last),
    ]
