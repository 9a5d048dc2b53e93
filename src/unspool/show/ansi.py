"""Terminal output -> text segments with class names: colours stay, other codes are dropped."""

import re
from collections.abc import Iterator
from itertools import groupby, islice
from typing import Final, TypeAlias

from unspool.show.safe import CharacterMap

Segment: TypeAlias = tuple[str, str]  # class names, text

_SEQUENCE: Final = re.compile(
    r"(?:\x1b\[|\x9b)(?P<sgr>[0-9;:]*)m"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # cursor, erase; also one cut short
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
# What turns the direction of reading, or cannot be seen: shown by its number.
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_MOST_SEGMENTS: Final = 20_000  # of a text with more, colours are left out
_STYLES: Final = {1: "a1", 2: "a2", 3: "a3", 4: "a4", 7: "a7", 9: "a9"}
_OFF: Final = {22: ("a1", "a2"), 23: ("a3",), 24: ("a4",), 27: ("a7",), 29: ("a9",)}


def ansi(text: str) -> tuple[Segment, ...]:
    """Segments in order; a progress line that writes over itself keeps its last state."""
    text = _last_states(text)
    if _is_crowded(_SEQUENCE, text):
        return tuple(visible(_SEQUENCE.sub("", text)))
    return tuple(_merged(_segments(text)))


def visible(text: str, classes: str = "") -> Iterator[Segment]:
    """Text in segments; invisible characters are shown by their number."""
    if _is_crowded(_HIDDEN, text):
        yield classes, numbered(text)
        return
    at = 0
    for match in _HIDDEN.finditer(text):
        if match.start() > at:
            yield classes, text[at : match.start()]
        yield "bidi", f"U+{ord(match[0]):04X}"
        at = match.end()
    if at < len(text):
        yield classes, text[at:]


def numbered(text: str) -> str:
    """Plain text; invisible characters are shown by their number in angle brackets."""
    return text.translate(_NUMBERS)


def _number(code: int) -> int | str:
    return f"‹U+{code:04X}›" if _HIDDEN.match(chr(code)) else code


_NUMBERS: Final = CharacterMap(_number)


def _is_crowded(pattern: re.Pattern[str], text: str) -> bool:
    return next(islice(pattern.finditer(text), _MOST_SEGMENTS, None), None) is not None


def _last_states(text: str) -> str:
    """Lines as they stand once their carriage returns were obeyed."""
    if "\r" not in text:
        return text
    *lines, last = text.split("\n")
    ended = [line.rstrip("\r") for line in lines]
    return "\n".join(line.rpartition("\r")[2] for line in (*ended, last))


def _segments(text: str) -> Iterator[Segment]:
    style: set[str] = set()
    at = 0
    for match in _SEQUENCE.finditer(text):
        yield from visible(text[at : match.start()], " ".join(sorted(style)))
        at = match.end()
        if match["sgr"] is not None:
            style = _styled(style, match["sgr"])
    yield from visible(text[at:], " ".join(sorted(style)))


def _styled(style: set[str], codes: str) -> set[str]:
    numbers = iter([int(code[:4] or 0) for code in re.split("[;:]", codes)])
    for number in numbers:
        if number in (38, 48, 58):  # a colour of its own: its numbers mean nothing to us
            for _ in range({5: 1, 2: 3}.get(next(numbers, 0), 0)):
                next(numbers, 0)
        else:
            style = _with(style, number)
    return style


def _with(style: set[str], number: int) -> set[str]:
    if number == 0:
        return set()
    if number in _STYLES:
        return style | {_STYLES[number]}
    if number in _OFF:
        return style.difference(_OFF[number])
    if 30 <= number <= 37 or 90 <= number <= 97 or number == 39:
        others = {name for name in style if not name.startswith("a3") or name == "a3"}
        return others if number == 39 else others | {f"a3{number % 10}"}
    return style


def _merged(segments: Iterator[Segment]) -> Iterator[Segment]:
    for classes, group in groupby(segments, key=lambda segment: segment[0]):
        texts = [text for _, text in group]
        if classes == "bidi":
            yield from ((classes, text) for text in texts)
        else:
            yield classes, "".join(texts)
