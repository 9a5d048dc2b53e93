"""How deep JSON may be nested: one limit, whatever decodes it and on whatever interpreter."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Final, TypeVar

Json = TypeVar("Json", bound=bytes | str)
DEEPEST: Final = 200

_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NOT_BRACKETS: Final = bytes(set(range(256)) - _STEPS.keys())


def shallow(data: Json) -> Json:
    """The same JSON, for a decoder; ValueError if it is nested too deep for it."""
    if is_too_deep(data.encode("utf-8", "replace") if isinstance(data, str) else data):
        raise ValueError("nested too deep")
    return data


def is_too_deep(data: bytes) -> bool:
    """Whether brackets are nested deeper than `DEEPEST`.

    Ask it before any decoder: how deep those can go depends on the interpreter and its stack.
    """
    if _openers(data) <= DEEPEST:
        return False
    structure = b"".join(_outside_strings(data))
    if _openers(structure) <= DEEPEST:
        return False
    brackets = structure.translate(None, _NOT_BRACKETS)
    return any(map(DEEPEST.__lt__, accumulate(map(_STEPS.__getitem__, brackets))))


def _openers(data: bytes) -> int:
    # `replace` finds them in half the time that `count` takes.
    return len(data) - len(data.replace(b"{", b"").replace(b"[", b""))


def _outside_strings(data: bytes) -> Iterator[bytes]:
    is_inside = False
    for piece in data.split(b'"'):
        if not is_inside:
            yield piece
            is_inside = True
        elif not piece.endswith(b"\\") or (len(piece) - len(piece.rstrip(b"\\"))) % 2 == 0:
            is_inside = False  # its quote is not an escaped one
