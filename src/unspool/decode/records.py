"""One JSON text -> one entry: as it is, else field by field, else rewritten first."""

from typing import Final

from msgspec import Raw, ValidationError
from msgspec.json import Decoder

from unspool.decode.lenient import build, by_tag, text_of
from unspool.decode.values import TROUBLE, cleaned
from unspool.model.transcript import Entry, KnownEntry, Unknown, Unreadable

known: Final[Decoder[KnownEntry]] = Decoder(KnownEntry)
KINDS: Final = by_tag(KnownEntry)

_object: Final = Decoder(dict[str, Raw])
_whole: Final = Decoder(Raw)


def record(line: bytes) -> Entry | None:
    """Read a line as one record; None when it is not one JSON value."""
    entry = _read(line, line)
    if entry is not None:
        return entry
    clean = cleaned(line)
    if clean is not None:
        return _read(clean, line)
    return None


def _read(text: bytes, line: bytes) -> Entry | None:
    try:
        return known.decode(text)
    except TROUBLE:
        pass
    try:
        return _placed(_object.decode(text), line)
    except ValidationError:
        return Unreadable("not an object", line) if _is_json(text) else None
    except TROUBLE:
        return None


def _placed(found: dict[str, Raw], line: bytes) -> Entry:
    if "type" not in found:
        return Unknown("", line)
    name = text_of(found["type"])
    if name is None:
        return Unreadable("type is not a string", line)
    kind = KINDS.get(name)
    if kind is None:
        return Unknown(name, line)
    entry: KnownEntry = build(kind, found)
    return entry


def _is_json(text: bytes) -> bool:
    try:
        _whole.decode(text)
    except TROUBLE:
        return False
    return True
