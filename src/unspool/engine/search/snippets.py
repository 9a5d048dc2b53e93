"""A body and what was asked for -> the lines where it stands, and the words in them to mark.

Words are what the full-text index takes for words: letters and digits, whatever their case and
accents.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, TypeAlias
from unicodedata import combining, normalize

from msgspec import Struct

Span: TypeAlias = tuple[int, int]

# How far apart two words may stand and still be one place.
_REACH: Final = 200
_BEFORE: Final = 60
_LINE: Final = 200
_BESIDE: Final = 100
_MOST_MATCHES: Final = 200
_LONGEST_BODY: Final = 4_000_000
_LONGEST_QUERY: Final = 256
_PART: Final = re.compile(r'"([^"]*)"?(\*?)|([^\s"]+)')
_WORD: Final = re.compile(r"[^\W_]+")
_MARKS: Final = "[\u0300-\u036f]*"
_CUT: Final = "…"


class Snippet(Struct, frozen=True):
    """At most three lines of a body; `ranges` count characters."""

    text: str
    ranges: tuple[Span, ...] = ()


class _Folding(dict[int, str]):
    """Each letter in lower case and without its accent, as long as that is one letter."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        parts = normalize("NFD", letter)
        plain = parts[0] if all(map(combining, parts[1:])) else letter
        folded = next((low for low in (plain.casefold(), plain.lower()) if len(low) == 1), letter)
        self[code] = folded
        return folded


_folding: Final = _Folding()


def patterns(terms: str) -> list[re.Pattern[str]]:
    """What was typed -> one pattern for each word, phrase or beginning, to be found in `folded`."""
    found = []
    for phrase, star, word in _PART.findall(terms[:_LONGEST_QUERY]):
        words = _WORD.findall(folded(normalize("NFC", phrase or word)))
        if words:
            found.append(_pattern(words, is_prefix=bool(star) or word.endswith("*")))
    return found


def folded(text: str) -> str:
    """A text as the index sees it, letter for letter."""
    return text.translate(_folding)


def _pattern(words: Sequence[str], *, is_prefix: bool) -> re.Pattern[str]:
    letters = (_MARKS.join(word) + _MARKS for word in words)
    end = "" if is_prefix else r"(?![^\W_])"
    return re.compile(r"(?<![^\W_])" + r"[\W_]+".join(letters) + end)


def snippet(body: str, regexes: Sequence[re.Pattern[str]]) -> Snippet:
    """The first place that has the most of what is wanted; the beginning where none has any."""
    text = body[:_LONGEST_BODY]
    known = folded(text)
    found = [list(_spans(pattern, known)) for pattern in regexes]
    return around(text, _place(found))


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    for number, match in enumerate(pattern.finditer(text)):
        if number == _MOST_MATCHES:
            return
        yield match.span()


def _place(found: Sequence[Sequence[Span]]) -> list[Span]:
    """The matches of the place where most of the wanted stand together."""
    every = sorted((span, which) for which, spans in enumerate(found) for span in spans)
    best: list[Span] = []
    most = 0
    for at, ((start, _), _) in enumerate(every):
        end = bisect_left(every, ((start + _REACH, 0), 0), at + 1)
        kinds = len({which for _, which in every[at:end]})
        if kinds > most:
            most, best = kinds, [span for span, _ in every[at:end]]
    return [span for before, span in pairwise([(0, 0), *best]) if span[0] >= before[1]]


def around(text: str, spans: Sequence[Span]) -> Snippet:
    """Three lines at most: those of the matches first, then one before and one after."""
    chosen = list(islice(_matched(text, spans), 3))
    if not chosen:
        return _joined(text, list(islice(_lines(text, 0), 3)), [])
    if len(chosen) < 3:
        chosen = _line_before(text, chosen[0][0]) + chosen
    if len(chosen) < 3:
        chosen += islice(_lines(text, chosen[-1][1] + 1), 1)
    return _joined(text, chosen, spans)


def _matched(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Lines that a match begins in."""
    if spans:
        first, last = spans[0][0], spans[-1][0]
        for start, end in _lines(text, text.rfind("\n", 0, first) + 1):
            if start > last:
                return
            if any(start <= span[0] <= end for span in spans):
                yield start, end


def _lines(text: str, at: int) -> Iterator[Span]:
    """Lines from a place on that have anything to read."""
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at : min(end, at + _LINE)].strip():
            yield at, end
        at = end + 1


def _line_before(text: str, at: int) -> list[Span]:
    while at > 0:
        end = at - 1
        at = text.rfind("\n", 0, end) + 1
        if text[max(at, end - _LINE) : end].strip():
            return [(at, end)]
    return []


def _joined(text: str, lines: Sequence[Span], spans: Sequence[Span]) -> Snippet:
    made, ranges = "", []
    for start, end in lines:
        inside = [span for span in spans if start <= span[0] < end]
        first, last = _window(text, start, end, inside)
        lead = _CUT if first > start and text[start:first].strip() else ""
        offset = len(made) + len(lead) - first
        shown = ((max(a, first), min(b, last)) for a, b in inside)
        ranges += [(a + offset, b + offset) for a, b in shown if a < b]
        made += f"{lead}{text[first:last]}{_CUT if text[last:end].strip() else ''}\n"
    return Snippet(made[:-1], tuple(ranges))


def _window(text: str, start: int, end: int, inside: Sequence[Span]) -> Span:
    """The part of a line that is shown: all of it, or what stands around its first match."""
    length = _LINE if inside else _BESIDE
    while start < end and text[start].isspace():
        start += 1
    if inside and end - start > length and inside[0][0] - start > _BEFORE:
        start = inside[0][0] - _BEFORE
        start = max(start, text.find(" ", start, inside[0][0]) + 1)
    last = min(end, start + length)
    if last < end:
        space = text.rfind(" ", inside[0][1] if inside else start, last)
        last = space if space > last - _BEFORE else last
    while last > start and text[last - 1].isspace():
        last -= 1
    return start, last
