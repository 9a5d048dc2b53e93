"""JSON bytes -> plain values, whatever is wrong with them."""

import json
import re
from itertools import accumulate
from typing import Any, Final

from msgspec import Raw
from msgspec.json import Decoder

DEEPEST: Final = 200
TROUBLE: Final = (ValueError, RecursionError)  # all that a JSON reader raises on data

_any: Final[Decoder[Any]] = Decoder()
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS: Final = bytes(set(range(256)) - set(_STEPS))
_LONG_NUMBER: Final = re.compile(rb"\d{19}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def value(raw: Raw | bytes) -> Any:
    """Read a JSON value; None when it cannot be read."""
    data = bytes(raw)
    if too_deep(data):
        return None
    if not _LONG_NUMBER.search(data):
        try:
            return _any.decode(data)
        except TROUBLE:
            pass
    clean = cleaned(data)
    return None if clean is None else _any.decode(clean)


def sound(data: bytes) -> bytes | None:
    """Give JSON that any reader takes: as it is or rewritten; None when it cannot be read."""
    if too_deep(data):
        return None
    try:
        _any.decode(data)
    except TROUBLE:
        return cleaned(data)
    return data


def too_deep(data: bytes) -> bool:
    """Tell whether brackets nest deeper than we follow."""
    if data.count(b"[") + data.count(b"{") <= DEEPEST:
        return False
    brackets = _STRING.sub(b"", data).translate(None, _NO_BRACKETS)
    return any(map(DEEPEST.__lt__, accumulate(map(_STEPS.__getitem__, brackets))))


def cleaned(data: bytes) -> bytes | None:
    """Rewrite JSON that only a lenient reader takes; None when none does, or it is too deep."""
    if too_deep(data):
        return None
    text = data.decode("utf-8-sig", "replace")
    try:
        found = json.loads(
            text, strict=False, parse_int=_int, parse_float=_float, parse_constant=_nothing
        )
    except TROUBLE:
        return None
    plain = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return _SURROGATE.sub("\ufffd", plain).encode()


def _int(digits: str) -> int | str:
    # More than 64 bits overflow databases, and int() refuses the longest.
    return int(digits) if len(digits) <= 20 and -(2**63) <= int(digits) < 2**63 else digits


def _float(digits: str) -> float | None:
    number = float(digits)
    return None if number in (float("inf"), float("-inf")) else number


def _nothing(_: str) -> None:
    """NaN and the infinities are no JSON."""
