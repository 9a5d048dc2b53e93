"""JSON bytes -> values and Structs, whatever is wrong with them; what does not fit is left out."""

import json
import re
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, Final, TypeVar, Union, cast, get_args, get_origin

from msgspec import Raw, Struct
from msgspec.json import Decoder
from msgspec.structs import FieldInfo, fields

from unspool.json_depth import is_too_deep
from unspool.model.blocks import OtherBlock

JSON_ERRORS: Final = (ValueError, RecursionError)  # everything that a JSON decoder raises

_any: Final[Decoder[Any]] = Decoder()
_AS_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER: Final = b"0" * 19
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def plain_value(raw: Raw | bytes) -> Any:
    """Decode a JSON value; None if that is not possible."""
    data = bytes(raw)
    if is_too_deep(data):
        return None
    if _LONG_NUMBER not in data.translate(_AS_ZEROS):
        try:
            return _any.decode(data)
        except JSON_ERRORS:
            pass
    clean = clean_json(data)
    return None if clean is None else _any.decode(clean)


def valid_json(data: bytes) -> bytes | None:
    """JSON that any decoder accepts, rewritten if needed; None if it cannot be decoded."""
    if is_too_deep(data):
        return None
    try:
        _any.decode(data)
    except JSON_ERRORS:
        return clean_json(data)
    return data


def clean_json(data: bytes) -> bytes | None:
    """Rewrite JSON that only a lenient decoder accepts; None if it does not, or is too deep."""
    if is_too_deep(data):
        return None
    text = data.decode("utf-8-sig", "replace")
    try:
        found = json.loads(
            text, strict=False, parse_int=_int, parse_float=_float, parse_constant=_no_constant
        )
    except JSON_ERRORS:
        return None
    plain = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return _SURROGATE.sub("\ufffd", plain).encode()


def _int(digits: str) -> int | str:
    # More than 64 bits overflow databases, and int() refuses the longest.
    return int(digits) if len(digits) <= 20 and -(2**63) <= int(digits) < 2**63 else digits


def _float(digits: str) -> float | None:
    number = float(digits)
    return None if number in (float("inf"), float("-inf")) else number


def _no_constant(_: str) -> None:
    """NaN and the infinities are not JSON."""


Kind = TypeVar("Kind")
MISFIT: Final = object()

_object: Final = Decoder(dict[str, Raw])
_array: Final = Decoder(list[Raw])
_text: Final = Decoder(str)


def fit(kind: Any, raw: Raw | bytes) -> Any:
    """Decode a value as a type; MISFIT if nothing of it fits."""
    try:
        return _decoder(kind).decode(raw)
    except JSON_ERRORS:
        data = bytes(raw).strip()
    try:
        if data.startswith(b"{"):
            return _from_object(kind, data)
        if data.startswith(b"["):
            return _from_array(kind, data)
        return _coerced(kind, data)
    except JSON_ERRORS:
        return MISFIT


def read_as(kind: type[Kind], data: Raw | bytes) -> Kind | None:
    """Decode a text as a type, rewritten first if needed; None if nothing of it fits."""
    text = bytes(data)
    if is_too_deep(text):
        return None
    found = fit(kind, text)
    if found is MISFIT:
        clean = clean_json(text)
        found = MISFIT if clean is None else fit(kind, clean)
    return None if found is MISFIT else cast(Kind, found)


def build(kind: type[Struct], found: dict[str, Raw]) -> Any:
    """Build a Struct from the fields that fit; the others keep their defaults."""
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
    """The fields of an object, undecoded; {} if it is not an object."""
    try:
        return _object.decode(data)
    except JSON_ERRORS:
        return {}


def text_of(raw: Raw | None) -> str | None:
    """Decode a JSON string; None if it is not one."""
    try:
        return None if raw is None else _text.decode(raw)
    except JSON_ERRORS:
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
    value = _decoder(kind, strict=False).decode(clean_json(data) or data)
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
