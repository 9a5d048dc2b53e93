"""Grep, Glob and similar tools: the pattern and the number of matches."""

import re
from typing import Final

from unspool.show import safe
from unspool.show.numbers import plural
from unspool.show.spans import Line
from unspool.show.tools.details import Detail, DetailBuilder, pairs
from unspool.show.tools.values import Fields, fields, number, result_text, text

NOUN = "search"

_OPTIONS: Final = ("path", "glob", "type", "output_mode")
_NOTHING: Final = re.compile(r"No (?:files|matches|content)\b|Found 0 ", re.IGNORECASE)
_HEADING: Final = re.compile(r"Found \d+ ")


def summary(input: Fields, result: object) -> str:
    """The pattern and where it was searched."""
    pattern = safe.brief(text(input, "pattern", "query", "operation"), 200)
    place = safe.brief(text(input, "path", "glob", "type", "filePath"), 120)
    return f"{pattern}  in {place}" if pattern and place else pattern or place


def facts(input: Fields, result: object) -> str:
    """Matches, as far as the result says."""
    values = fields(result)
    files, matches = number(values, "numFiles"), number(values, "numMatches")
    if matches is not None and files is not None:
        return f"{plural(matches, 'match', 'matches')} in {plural(files, 'file')}"
    if files is not None:
        return plural(files, "file")
    output = result_text(result).strip()
    if not output or _NOTHING.match(output):
        return "no matches" if output else ""
    return plural(output.count("\n") + 1 - bool(_HEADING.match(output)), "line")


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """Nothing: the count is enough."""
    return []


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """The options and the matches."""
    options = ((name, input.get(name)) for name in _OPTIONS)
    where = pairs([(name, value) for name, value in options if isinstance(value, str)])
    return [*where, *build.output(result_text(result), "matches")]
