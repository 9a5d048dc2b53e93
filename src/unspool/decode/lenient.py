"""A value that does not fit its type -> that type with only the misfits left out."""

from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, Final, TypeVar, Union, cast, get_args, get_origin

from msgspec import Raw, Struct
from msgspec.json import Decoder
from msgspec.structs import FieldInfo, fields

from unspool.decode.values import TROUBLE, cleaned
from unspool.model.blocks import OtherBlock

Kind = TypeVar("Kind")
MISFIT: Final = object()

_object: Final = Decoder(dict[str, Raw])
_array: Final = Decoder(list[Raw])
_text: Final = Decoder(str)


def fit(kind: Any, raw: Raw | bytes) -> Any:
    """Read a value as a type; MISFIT when nothing of it fits."""
    try:
        return _decoder(kind).decode(raw)
    except TROUBLE:
        data = bytes(raw).strip()
    try:
        if data.startswith(b"{"):
            return _from_object(kind, data)
        if data.startswith(b"["):
            return _from_array(kind, data)
        return _coerced(kind, data)
    except TROUBLE:
        return MISFIT


def read(kind: type[Kind], data: Raw | bytes) -> Kind | None:
    """Read a whole text as a type, rewritten first if need be; None when nothing of it fits."""
    found = fit(kind, data)
    if found is MISFIT:
        clean = cleaned(bytes(data))
        found = MISFIT if clean is None else fit(kind, clean)
    return None if found is MISFIT else cast(Kind, found)


def build(kind: type[Struct], found: dict[str, Raw]) -> Any:
    """Make a Struct of the fields that fit; the others keep their defaults."""
    values = {}
    for field in _fields(kind):
        if field.encode_name in found:
            value = fit(field.type, found[field.encode_name])
            if value is not MISFIT:
                values[field.name] = value
    return kind(**values)


@cache
def by_tag(kind: Any) -> dict[str, type[Struct]]:
    """Index the Structs of a tagged union by their tags."""
    return {str(option.__struct_config__.tag): option for option in _options(kind)}


def members(data: Raw | bytes) -> dict[str, Raw]:
    """Take an object apart, its values unread; {} when it is not one."""
    try:
        return _object.decode(data)
    except TROUBLE:
        return {}


def text_of(raw: Raw | None) -> str | None:
    """Read a JSON string; None when it is not one."""
    try:
        return None if raw is None else _text.decode(raw)
    except TROUBLE:
        return None


def _from_object(kind: Any, data: bytes) -> Any:
    found = _object.decode(data)
    for option in _options(kind):
        if get_origin(option) is dict:
            each = {key: fit(get_args(option)[1], raw) for key, raw in found.items()}
            return {key: value for key, value in each.items() if value is not MISFIT}
        if get_origin(option) is list:
            # One block stands where a list of them belongs.
            return _from_array(option, b"[" + data + b"]")
        if option is OtherBlock:
            return _block(kind, found, data)
    structs = [option for option in _options(kind) if _is_struct(option)]
    return build(structs[0], found) if structs else MISFIT


def _block(kind: Any, found: dict[str, Raw], data: bytes) -> Any:
    tag = text_of(found.get("type")) or ""
    known = by_tag(kind).get(tag)
    return build(known, found) if known else OtherBlock(tag, Raw(data))


def _from_array(kind: Any, data: bytes) -> Any:
    for option in _options(kind):
        if get_origin(option) is list:
            (item,) = get_args(option)
            each = [_item(item, raw) for raw in _array.decode(data)]
            return [value for value in each if value is not MISFIT]
    return MISFIT


def _item(kind: Any, raw: Raw) -> Any:
    value = fit(kind, raw)
    if value is MISFIT and OtherBlock in _options(kind):
        return OtherBlock("", raw.copy())
    return value


def _coerced(kind: Any, data: bytes) -> Any:
    value = _decoder(kind, strict=False).decode(cleaned(data) or data)
    return MISFIT if isinstance(value, float) and not isfinite(value) else value


@cache
def _decoder(kind: Any, strict: bool = True) -> Decoder[Any]:
    return Decoder(kind, strict=strict)


@cache
def _fields(kind: type[Struct]) -> tuple[FieldInfo, ...]:
    return fields(kind)


def _options(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)
