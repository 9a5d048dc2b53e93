"""How heavy a text is in tokens: a quarter of its UTF-16 code units, rounded up."""

import zlib
from typing import Final

import msgspec

# Base64 length says nothing about what an image costs the model; one middling figure does.
IMAGE_TOKENS: Final = 1_600
# All that reading JSON raises on data.
TROUBLE: Final = (msgspec.MsgspecError, RecursionError, UnicodeError)

_BLANKS: Final = b" \n\r\t"


def units(text: str) -> int:
    """Length in UTF-16 code units, as the client's own language counts."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def tokens(text: str) -> int:
    """Estimated tokens of a text."""
    return (units(text) + 3) // 4


def checksum(text: str, start: int = 0) -> int:
    """Tells one text from another of the same weight."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"), start)


def json_units(raw: bytes) -> int:
    """Length in code units of a JSON value written compactly."""
    if not _is_compact(raw):
        raw = _compact(raw)
    return len(raw) if raw.isascii() else units(raw.decode("utf-8", "replace"))


def json_tokens(raw: bytes) -> int:
    """Estimated tokens of a JSON value."""
    return (json_units(raw) + 3) // 4


def _is_compact(raw: bytes) -> bool:
    """One serialiser writes a whole line: how it spaces the first item, it spaces all."""
    colon = raw.find(b'":')
    spaced = b", " in raw if colon < 0 else raw[colon + 2 : colon + 3] in _BLANKS
    if spaced or raw[1:2] in _BLANKS or b"\\u" in raw:
        return False
    return b".0" not in raw or not _has_whole_float(raw)


def _has_whole_float(raw: bytes) -> bool:
    return b".0," in raw or b".0}" in raw or b".0]" in raw


def _compact(raw: bytes) -> bytes:
    try:
        return msgspec.json.encode(_whole_numbers(msgspec.json.decode(raw)))
    except TROUBLE:
        return raw


def _whole_numbers(value: object) -> object:
    match value:
        case float() if value.is_integer() and abs(value) < 1e21:
            return int(value)
        case list():
            return [_whole_numbers(item) for item in value]
        case dict():
            return {key: _whole_numbers(item) for key, item in value.items()}
    return value
