"""Grep, Glob and their like: what was looked for, and how much was found."""

import re
from typing import Final

from unspool.show import safe
from unspool.show.money import plural
from unspool.show.spans import Line
from unspool.show.tools.values import Fields, fields, number, said, text

NOUN = "search"

_NOTHING: Final = re.compile(r"No (?:files|matches|content)\b|Found 0 ", re.IGNORECASE)
_HEADING: Final = re.compile(r"Found \d+ ")


def summary(input: Fields, result: object) -> str:
    """The pattern, and where."""
    pattern = safe.brief(text(input, "pattern", "query", "operation"), 200)
    place = safe.brief(text(input, "path", "glob", "type", "filePath"), 120)
    return f"{pattern}  in {place}" if pattern and place else pattern or place


def facts(input: Fields, result: object) -> str:
    """Hits, as far as the result tells."""
    values = fields(result)
    files, hits = number(values, "numFiles"), number(values, "numMatches")
    if hits is not None and files is not None:
        return f"{plural(hits, 'hit')} in {plural(files, 'file')}"
    if files is not None:
        return plural(files, "file")
    found = said(result).strip()
    if not found or _NOTHING.match(found):
        return "nothing" if found else ""
    return plural(found.count("\n") + 1 - bool(_HEADING.match(found)), "line")


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """Nothing: the count says it."""
    return []
