"""Styled text: lines of (style, text) spans, measured in terminal cells."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, takewhile
from typing import Literal, TypeAlias, TypeVar
from unicodedata import combining, east_asian_width

Style: TypeAlias = Literal[
    "",
    "strong",
    "dim",
    "thinking",  # violet
    "wait",  # amber: waits for you
    "work",  # blue: at work
    "good",  # green: done well
    "bad",  # red: failed
    "add",
    "drop",
]
Span: TypeAlias = tuple[Style, str]
Line: TypeAlias = tuple[Span, ...]

BLANK: Line = ()

_LONGEST_WRAPPED = 20_000  # a longer line is left for the terminal to break

T = TypeVar("T")


def plain(line: Line) -> str:
    """The text alone."""
    return "".join(text for _, text in line).rstrip()


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


@lru_cache(maxsize=4096)
def _cells(letter: str) -> int:
    if letter < "\u0300":
        return 1
    if combining(letter) or letter in "\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1


def cut(text: str, width: int | None) -> str:
    """A text cut to a width, with an ellipsis."""
    if width is None or cells(text) <= width:
        return text
    return _first(text, width - 1).rstrip() + "…" if width > 0 else ""


def _first(text: str, width: int) -> str:
    if text.isascii():
        return text[: max(width, 0)]
    ends = accumulate(map(_cells, text))
    return text[: sum(1 for _ in takewhile(lambda end: end <= width, ends))]


def pad(text: str, width: int, *, right: bool = False) -> str:
    """A text cut or padded to a width."""
    text = cut(text, width)
    space = " " * (width - cells(text))
    return space + text if right else text + space


def wrap(text: str, width: int | None, hang: str | None = None) -> list[str]:
    """A line wrapped to a width; continuation lines begin with `hang`."""
    if width is None or len(text) > _LONGEST_WRAPPED or cells(text) <= width:
        return [text.rstrip()]
    indent = _first(text[: len(text) - len(text.lstrip())], width // 2)
    hang = indent if hang is None else _first(hang, width // 2)
    rows: list[str] = []
    row = indent
    is_empty = True
    for word in _words(text.split(), width - max(len(indent), len(hang))):
        if not is_empty and cells(row) + 1 + cells(word) > width:
            rows.append(row)
            row, is_empty = hang, True
        row = row + word if is_empty else f"{row} {word}"
        is_empty = False
    return [*rows, row]


def _words(words: Iterable[str], width: int) -> Iterator[str]:
    """Words; those longer than a line are broken."""
    for word in words:
        if cells(word) <= width:
            yield word
        else:
            yield from _broken(word, width)


def _broken(word: str, width: int) -> Iterator[str]:
    at = used = 0
    for end, letter in enumerate(word):
        size = _cells(letter)
        if used + size > width and end > at:
            yield word[at:end]
            at, used = end, 0
        used += size
    yield word[at:]


def indented(lines: Iterable[Line], by: int) -> Iterator[Line]:
    """The lines, indented."""
    space: Span = ("", " " * by)
    return ((space, *line) if line else line for line in lines)


def ends(left: Line, right: Line, width: int | None) -> Line:
    """Left and right parts of a line; without a width they follow each other."""
    if not right:
        return fit(left, width)
    tail = cells(plain(right))
    if width is None:
        return (*left, ("", "  "), *right)
    left = fit(left, max(width - tail - 2, 0))
    used = sum(cells(text) for _, text in left)
    return (*left, ("", " " * max(width - used - tail, 1)), *right)


def fit(line: Line, width: int | None) -> Line:
    """A line cut to a width."""
    if width is None:
        return line
    spans: list[Span] = []
    for style, text in line:
        part = cut(text, width)
        spans.append((style, part))
        width -= cells(part)
        if part != text:
            break
    return tuple(spans)


def folded(many: Sequence[T], head: int, tail: int = 0) -> tuple[list[T], int, list[T]]:
    """The first and last items, and how many are left out."""
    hidden = len(many) - head - tail
    if hidden <= 1:  # saying that one is missing takes a line too
        return list(many), 0, []
    return list(many[:head]), hidden, list(many[len(many) - tail :])


def more(hidden: int) -> list[Line]:
    """The line that says how many are left out."""
    return [(("dim", f"… {hidden:,} more lines"),)] if hidden else []
