"""Lines -> the names in them that this version does not know, counted by who wrote them."""

from functools import cache
from types import UnionType
from typing import Any, Final, NamedTuple, TypeAlias, Union, get_args, get_origin

from msgspec import DecodeError, Raw, Struct
from msgspec.json import Decoder
from msgspec.structs import fields

from unspool.derive.known import ATTACHMENTS, FIELDS, SUBTYPES, TYPES, TYPES_LIKE
from unspool.model.blocks import ContentBlock, OtherBlock
from unspool.model.health import Oddity, OddityKind
from unspool.model.transcript import Attachment, AttachmentBody, KnownEntry, System

_TROUBLE: Final = (DecodeError, RecursionError, UnicodeError)
_LONGEST_NAME: Final = 120
# A file full of made-up names is told by its first few.
_MOST: Final = 2_000

_object: Final = Decoder(dict[str, Raw])
_objects: Final = Decoder(list[dict[str, Raw]])
_map: Final = Decoder(dict[str, dict[str, Raw]])
_text: Final = Decoder(str)

_Found: TypeAlias = dict[str, Raw]
_Key: TypeAlias = tuple[str, OddityKind, str]


class _Shape(NamedTuple):
    """The names an object may have, and which of them hold objects we know too."""

    names: frozenset[str]
    inner: tuple[tuple[str, Decoder[Any], type[Struct]], ...]


class OddityFold:
    """Takes whole lines as they lie in the files; what is not one object is passed over."""

    def __init__(self) -> None:
        self._path = ""
        self._line = 0
        self._version = ""
        self._counts: dict[_Key, int] = {}
        self._places: dict[_Key, tuple[str, int]] = {}

    def begin(self, path: str) -> None:
        """A new file: who wrote it is said by its lines."""
        self._path, self._line, self._version = path, 0, ""

    def feed(self, line: bytes) -> None:
        """Look at the next line of the file."""
        self._line += 1
        found = _opened(_object, line)
        if not found:
            return
        self._version = _said(found.get("version"))[:_LONGEST_NAME] or self._version
        name = _said(found.get("type"))
        kind = _ENTRIES.get(name)
        if kind is not None:
            self._compare(kind, found, name)
            self._inside(kind, found)
        elif name not in TYPES and not name.startswith(TYPES_LIKE):
            self._note("type", name or "(none)")

    def found(self) -> list[Oddity]:
        """All that was met, oldest version first, the most frequent of each kind first."""
        made = [
            Oddity(version=version, kind=kind, name=name, count=count, path=path, line=line)
            for (version, kind, name), count in self._counts.items()
            for path, line in [self._places[version, kind, name]]
        ]
        order = ("type", "subtype", "attachment", "block", "field")
        return sorted(
            made,
            key=lambda one: (_number(one.version), order.index(one.kind), -one.count, one.name),
        )

    def _inside(self, kind: type[Struct], found: _Found) -> None:
        """What a line of its type may be in turn: a subtype, an attachment, blocks."""
        if kind is System:
            self._name("subtype", _said(found.get("subtype")), SUBTYPES)
        elif kind is Attachment:
            body = _opened(_object, found.get("attachment")) or {}
            name = _said(body.get("type"))
            self._name("attachment", name, ATTACHMENTS)
            if name in ATTACHMENTS:
                self._compare(AttachmentBody, body, f"attachment.{name}")
        elif "message" in found:
            body = _opened(_object, found["message"]) or {}
            for block in _opened(_objects, body.get("content")) or ():
                self._block(block)

    def _block(self, block: _Found) -> None:
        name = _said(block.get("type"))
        kind = _BLOCKS.get(name)
        if kind is None:
            self._note("block", name or "(none)")
        else:
            self._compare(kind, block, f"content.{name}")

    def _compare(self, kind: type[Struct], found: _Found, path: str) -> None:
        shape = _shape(kind)
        for name in found.keys() - shape.names:
            self._note("field", f"{path}.{name}")
        for name, decoder, inner in shape.inner:
            if name in found:
                below = _opened(decoder, found[name])
                for one in _each(below):
                    self._compare(inner, one, f"{path}.{name}")

    def _name(self, kind: OddityKind, name: str, known: frozenset[str]) -> None:
        if name and name not in known:
            self._note(kind, name)

    def _note(self, kind: OddityKind, name: str) -> None:
        key = self._version, kind, name[:_LONGEST_NAME]
        if key not in self._counts and len(self._counts) >= _MOST:
            return
        self._counts[key] = self._counts.get(key, 0) + 1
        self._places.setdefault(key, (self._path, self._line))


@cache
def _shape(kind: type[Struct]) -> _Shape:
    own = fields(kind)
    ignored = (FIELDS.get(one, frozenset[str]()) for one in kind.__mro__)
    names = frozenset({"type", *(one.encode_name for one in own)}).union(*ignored)
    found = ((one.encode_name, *_held(one.type)) for one in own)
    return _Shape(names, tuple((name, how, what) for name, how, what in found if how and what))


def _held(kind: Any) -> tuple[Decoder[Any] | None, type[Struct] | None]:
    """The Struct a field holds one, a list or a map of; `_inside` looks at the others."""
    options = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    for option in options:
        if _is_struct(option) and option is not AttachmentBody:
            return _object, option
        inner = [part for part in get_args(option) if _is_struct(part)]
        if inner:
            return (_map if get_origin(option) is dict else _objects), inner[0]
    return None, None


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _each(below: Any) -> list[_Found]:
    if isinstance(below, list):
        return below
    values = list(below.values()) if below else []
    return values if values and isinstance(values[0], dict) else [below or {}]


def _opened(decoder: Decoder[Any], raw: Raw | bytes | None) -> Any:
    if raw is None:
        return None
    try:
        return decoder.decode(raw)
    except _TROUBLE:
        return None


def _said(raw: Raw | None) -> str:
    return _opened(_text, raw) or ""


def _number(version: str) -> tuple[list[int], str]:
    """2.1.9 comes before 2.1.10."""
    return [int(part) for part in version.split(".") if part.isdecimal()][:8], version


def _by_tag(kinds: Any) -> dict[str, type[Struct]]:
    return {str(kind.__struct_config__.tag): kind for kind in get_args(kinds)}


_ENTRIES: Final = _by_tag(KnownEntry)
_BLOCKS: Final = {
    tag: kind for tag, kind in _by_tag(ContentBlock).items() if kind is not OtherBlock
}
