"""JSON text and a place in it -> the text with a thing put in or taken out, all else as it was."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from unspool.json_depth import shallow

Path: TypeAlias = tuple[str | int, ...]

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_CLOSING: Final = {"{": "}", "[": "]"}
_UNIT: Final = "  "


class _Number(NamedTuple):
    """A number as it was written: 1.0 is not 1, and 1e999 is not infinite."""

    written: str


class _Spot(NamedTuple):
    """One member or item: where it begins, where its value does, and where both end."""

    key: str | int
    start: int
    value: int
    end: int


def parse(text: str) -> Any:
    """What the text says; ValueError where JSON.parse would not have it either."""
    try:
        return _decoder.decode(shallow(text))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def extend(text: str, path: Path, more: dict[str, Any] | list[Any]) -> str:
    """Put members at the end of the object at `path`, or items at the end of the list."""
    at = _find(text, path)
    spots, close = _spots(text, at)
    unit, newline = _style(text)
    if spots:
        lead = _space_before(text, spots[-1].start)
        base = lead.rpartition("\n")[2] if "\n" in lead else None
    else:
        base = None if unit is None else _indent(text, at) + unit
    glue = "," + (" " if base is None else newline + base)
    put = glue.join(_written(more, base, unit or _UNIT, newline))
    if spots:
        return text[: spots[-1].end] + glue + put + text[spots[-1].end :]
    if base is None:
        return text[: at + 1] + put + text[close:]
    return f"{text[: at + 1]}{newline}{base}{put}{newline}{_indent(text, at)}{text[close:]}"


def drop(text: str, path: Path, blank: str = "") -> str:
    """Take out the member or item at `path`, and its comma; after the last one `blank` is left."""
    at = _find(text, path[:-1])
    spots, close = _spots(text, at)
    number = max(number for number, spot in enumerate(spots) if spot.key == path[-1])
    if len(spots) == 1:
        return text[: at + 1] + blank + text[close:]
    if number == 0:
        return text[: spots[0].start] + text[spots[1].start :]
    return text[: spots[number - 1].end] + text[spots[number].end :]


def blank(text: str, path: Path) -> str:
    """What stands between the brackets of the empty object or list at `path`."""
    at = _find(text, path)
    return text[at + 1 : _spots(text, at)[1]]


def _find(text: str, path: Path) -> int:
    """Where the value at a path begins; of a key that is there twice the last one counts."""
    at = _past_space(text, 0)
    for key in path:
        at = [spot.value for spot in _spots(text, at)[0] if spot.key == key][-1]
    return at


def _spots(text: str, at: int) -> tuple[list[_Spot], int]:
    """The members of the object or the items of the list that begins here, and where it ends."""
    closing = _CLOSING[text[at]]
    spots: list[_Spot] = []
    at = _past_space(text, at + 1)
    while text[at] != closing:
        key, value = _key(text, at) if closing == "}" else (len(spots), at)
        end = _decoder.raw_decode(text, value)[1]
        spots.append(_Spot(key, at, value, end))
        at = _past_space(text, end)
        if text[at] == ",":
            at = _past_space(text, at + 1)
    return spots, at


def _key(text: str, at: int) -> tuple[str, int]:
    key, end = _decoder.raw_decode(text, at)
    return key, _past_space(text, _past_space(text, end) + 1)


def _style(text: str) -> tuple[str | None, str]:
    """How the outermost object is written: its indent, None if on one line; and its newline."""
    start = _past_space(text, 0)
    spots, _ = _spots(text, start)
    newline = "\r\n" if "\r\n" in text else "\n"
    if not spots:
        return _UNIT, newline
    lead = _space_before(text, spots[0].start)
    return (lead.rpartition("\n")[2] or _UNIT if "\n" in lead else None), newline


def _written(
    more: dict[str, Any] | list[Any], base: str | None, unit: str, newline: str
) -> Iterator[str]:
    names = [f"{json.dumps(key)}: " for key in more] if isinstance(more, dict) else [""] * len(more)
    values = more.values() if isinstance(more, dict) else more
    for name, value in zip(names, values, strict=True):
        if base is None:
            yield name + json.dumps(value)
        else:
            yield name + json.dumps(value, indent=unit).replace("\n", newline + base)


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: _past_space(line, 0)]


def _space_before(text: str, at: int) -> str:
    return text[len(text[:at].rstrip(" \t\r\n")) : at]


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


_decoder: Final = json.JSONDecoder(
    parse_int=_Number, parse_float=_Number, parse_constant=_refused, strict=True
)
