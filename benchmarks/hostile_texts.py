"""Texts that renderers are slow with: one thing again and again, up to a size in bytes."""

from collections.abc import Callable
from math import isqrt
from typing import Final, TypeAlias

Maker: TypeAlias = Callable[[int], str]


def byte_count(text: str) -> int:
    """Its size in UTF-8, half pairs included."""
    return len(text.encode("utf-8", "surrogatepass"))


def repeated(unit: str, lead: str = "", end: str = "") -> Maker:
    """The same unit to the end."""
    room, size = byte_count(lead) + byte_count(end), byte_count(unit)
    return lambda count: lead + unit * max((count - room) // size, 1) + end


def _staircase(step: Callable[[int], str]) -> Maker:
    """Lines that grow by one step each, so that their depth is the root of their size."""
    return lambda count: "".join(map(step, range(1, isqrt(2 * count) + 2)))[:count]


def _table(width: int, row: str) -> Maker:
    return repeated(row, f"|{'a|' * width}\n|{'-|' * width}\n")


def _square_table(count: int) -> str:
    width = max(isqrt(count) // 3, 1)
    return _table(width, f"|{'b|' * width}\n")(count)


_UNITS: Final = {
    "newlines": "\n",
    "spaces": " ",
    "tabs": "\t",
    "carriage returns": "\r",
    "CRLF": "\r\n",
    "progress line": "10%\r",
    "NULs": "\0",
    "NULs in words": "\0a",
    "escapes": "\x1b",
    "colours": "\x1b[31ma\x1b[1;42mb",
    "one colour": "a\x1b[0m",
    "colour cut short": "\x1b[1;",
    "terminal titles": "\x1b]0;a",
    "C1 strings": "\x9d",
    "C1 sequences": "\x9b",
    "long word": "a",
    "long digits": "1",
    "words": "a b ",
    "short lines": "a\n",
    "paragraphs": "a\n\n",
    "wide characters": "漢",
    "joined emoji": "👩\u200d",
    "combining": "e\u0301\u0301",
    "only combining": "\u0301",
    "bidi": "\u202e",
    "bidi in words": "\u202ea",
    "invisible": "\u200b",
    "half pairs": "\udc80",
    "line separators": "\u2028",
    "tags": "<b x='",
    "entities": "&#1;&",
    "comments": "<!-- ",
    "autolinks": "<http://a>",
    "bare links": "http://a.b/ ",
    "asterisks": "*",
    "nested emphasis": "*a **b _c ",
    "crossed emphasis": "*a _b* c_ ",
    "underscores in words": "_a",
    "strikethrough": "~~a ~",
    "backticks": "`",
    "code spans": "``a` ",
    "opening brackets": "[",
    "open links": "[a](",
    "links": "[a](http://b) ",
    "open labels": "[a ",
    "images": "![a",
    "reference definitions": "[a]: http://b\n",
    "backslashes": "\\",
    "quotes": "> ",
    "quoted lines": "> a\n",
    "lists in one line": "- ",
    "list items": "- a\n",
    "numbers": "1. ",
    "headings": "# a\n",
    "underlined headings": "a\n=\n",
    "rules": "---\n",
    "open fences": "```\n~~~\n",
    "named fences": "```python\n'''\n```\n",
    "indented code": "    a\n",
    "bars": "|",
    "bar lines": "|\n",
    "small tables": "a|b\n-|-\n",
    "changed lines": "-a\n+b\n",
    "hunks": "@@ -1 +1 @@\n",
    "JSON arrays": "[1,",
    "JSON objects": '{"a":',
    "JSON escapes": '\\"\\u0000',
    "double quotes": '"',
    "open parentheses": "(",
}
# Each is text of a transcript: a prompt, an answer, the output of a command.
TEXTS: Final[dict[str, Maker]] = {
    **{name: repeated(unit) for name, unit in _UNITS.items()},
    "nested lists": _staircase(lambda depth: f"{'  ' * depth}- a\n"),
    "nested quotes": _staircase(lambda depth: f"{'>' * depth}a\n"),
    "growing code spans": _staircase(lambda length: f"{'`' * length} "),
    "wide table of empty rows": _table(300, "|\n"),
    "square table": _square_table,
    "fence of newlines": repeated("\n", "```logos\n", "```"),
    "fence of open strings": repeated('"', "```js\n", "\n```"),
    "lists of lists": repeated("- - - - a\n      - b\n"),
}
