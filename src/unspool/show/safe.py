"""Text of a transcript -> text that can do nothing to the terminal it is printed on."""

import re
from collections.abc import Callable
from typing import Final

# Whole escape sequences carry colour or movement and nothing to read.
# No part of one can begin another, so that none is looked for twice in the same text.
_SEQUENCE: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])"  # titles
    r"[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-Z\\^-~]"  # the short ones
)
# Controls, marks that turn the direction of reading, and characters nobody can see.
_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_BREAK: Final = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_TAB: Final = 4
_RARE: Final = 0x10000  # characters above are not remembered: there are a million


class CharacterMap(dict[int, int | str]):
    """For `str.translate`: what replaces a character is computed once."""

    def __init__(self, replace: Callable[[int], int | str]) -> None:
        self._replace = replace

    def __missing__(self, code: int) -> int | str:
        replaced = self._replace(code)
        if code < _RARE:
            self[code] = replaced
        return replaced


def line(text: str) -> str:
    """One line, nothing in it but what it shows; tabs become spaces."""
    if text.isprintable():
        return text
    if "\t" in text:
        text = text.expandtabs(_TAB)
    return _SEQUENCE.sub("", text).translate(_PICTURES)


def lines(text: str) -> list[str]:
    """The lines of a text, each made safe; no empty ones at its ends."""
    return [line(part) for part in raw_lines(text)]


def raw_lines(text: str) -> list[str]:
    """The lines of a text as they are, for those who print only a few of them."""
    return _BREAK.split(text.strip("\r\n")) if text else []


def brief(text: str, limit: int = 500) -> str:
    """The beginning of a text on one line, its white space closed up."""
    return line(" ".join(text[: limit * 2].split()))[:limit]


def json_text(text: str) -> str:
    """JSON with the same characters escaped: the same value, written for a terminal."""
    return text.translate(_ESCAPES)


def json_bytes(data: bytes) -> bytes:
    """The same for bytes."""
    return json_text(data.decode("utf-8", "surrogateescape")).encode()


def _escape(code: int) -> int | str:
    letter = chr(code)
    if letter in "\t\n\r" or not _UNSAFE.match(letter):
        return code
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


_ESCAPES: Final = CharacterMap(_escape)


def _picture(code: int) -> int | str:
    if not _UNSAFE.match(chr(code)):
        return code
    if code < 0x20:
        return 0x2400 + code
    if code == 0x7F:
        return "␡"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"‹{code:04X}›"


_PICTURES: Final = CharacterMap(_picture)
