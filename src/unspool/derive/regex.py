"""A regular expression of the user -> where it matches, in time linear in the text.

RE2 does not backtrack. Python's `re` does, and some text in a transcript would keep a harmless
pattern busy for years.
"""

import re
from functools import lru_cache
from itertools import islice
from typing import Final

import re2  # type: ignore[import-untyped]  # this module is its typed face

from unspool.errors import UsageError

LONGEST: Final = 100  # characters of a pattern
_MEMORY: Final = 1 << 20  # bytes for one pattern: its program, and the states it remembers
# Going on from each of many empty matches would take the square of the text's length.
_MOST_TRIES: Final = 1_000
_LINES: Final = "(?m)"  # ^ and $ match at the ends of lines
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UNSUPPORTED: Final = (
    (re.compile(r"invalid perl operator: \(\?<?[=!]"), "look-arounds are not supported"),
    (re.compile(r"invalid escape sequence: \\[1-9]"), "back-references are not supported"),
    (re.compile(r"pattern too large"), "it repeats too much"),
)


class PatternError(UsageError):
    """A pattern that cannot be used; `reason` is a part of a sentence."""

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(f"The pattern {pattern!r} cannot be used: {reason}.")
        self.reason = reason


class Regex:
    """Ignores case; ^ and $ match at the ends of lines. Made by `compile_pattern`."""

    def __init__(self, pattern: str) -> None:
        options = re2.Options()
        options.case_sensitive = False
        options.log_errors = False
        options.max_mem = _MEMORY
        options.never_capture = True
        self._compiled = re2.compile(_LINES + pattern, options)

    def occurs_in(self, text: str) -> bool:
        return self._compiled.search(_encodable(text)) is not None

    def spans(self, text: str, most: int) -> list[tuple[int, int]]:
        """The first `most` matches that are not empty, in characters."""
        tries = islice(self._compiled.finditer(_encodable(text)), _MOST_TRIES)
        places = (match.span() for match in tries)
        return list(islice((place for place in places if place[0] < place[1]), most))


@lru_cache(maxsize=128)
def compile_pattern(pattern: str) -> Regex:
    """Compile a pattern; raises PatternError with the reason if it is invalid."""
    if not pattern:
        raise PatternError(pattern, "it is empty")
    if len(pattern) > LONGEST:
        raise PatternError(pattern, f"it has {len(pattern)} characters, and {LONGEST} are allowed")
    try:
        return Regex(pattern)
    except (re2.error, UnicodeEncodeError) as error:
        raise PatternError(pattern, _reason(error)) from None


def _encodable(text: str) -> str:
    """The text with surrogates replaced: they have no UTF-8, and data must not raise."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "it has half a character"
    message = error.args[0].decode("utf-8", "replace").replace(_LINES, "")
    known = (reason for rule, reason in _UNSUPPORTED if rule.match(message))
    return next(known, message)
