"""Terms -> expressions of the full-text indexes; and whether a line has the phrases."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import apsw

from unspool.store.sqlite.search.vocabulary import word_splitter, words_with_prefix
from unspool.store.terms import Term

# What may stand between two words of a JSON string: anything but letters and digits, escaped or
# not. Quantifiers are possessive: there is one way only to read what follows a word.
_BETWEEN: Final = rb'(?:[^0-9a-z\\"]++|\\(?:u[0-9a-f]{4}|.)|"(?!\s*[]},:]))*+'
# Letters that are ASCII letters with a mark, or whose lower case is one.
_MAY_BE_ASCII: Final = re.compile(rb"[\xc3-\xcf\xe1]|\xe2\x84")
# Any \u escape that is not a control character or a sign.
_ESCAPED_LETTER: Final = re.compile(rb"\\u(?!00[01]|2[02-9a-f])")


class Phrase(NamedTuple):
    """StringTable that stand side by side; with `is_prefix` the last may be longer."""

    words: list[str]
    is_prefix: bool


class TermMatcher:
    """The terms of one search, as the full-text indexes split them into words.

    The index of tool output has no word positions: it is asked for the single words of a phrase,
    and `has_phrases` decides.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        terms: Sequence[Term],
        one_of: Sequence[Sequence[Term]] = (),
    ) -> None:
        self._connection = connection
        self._words = word_splitter(connection)
        parts = [Phrase(self._words(term.text), term.is_prefix) for term in terms]
        parts = [part for part in parts if part.words]
        self.word_count = sum(len(part.words) for part in parts) + len(one_of)
        self.phrases = [part for part in parts if len(part.words) > 1]
        self._patterns = [_pattern(phrase) for phrase in self.phrases]
        self.may_have_phrases = RawLineFilter([phrase.words for phrase in self.phrases]).may_match
        self.has_broad_prefix = False  # of so many words that reading their postings takes long
        by_table = {"said": parts, "output": [one for part in parts for one in _singles(part)]}
        groups = [self._alternatives(group) for group in one_of]
        self.expressions = {
            table: " AND ".join([*(self._expression(table, one) for one in parts), *groups])
            for table, parts in by_table.items()
        }

    def has_phrases(self, body: str) -> bool:
        """Whether a text has every phrase."""
        if body.isascii():
            lower = body.lower()
            return all(_occurs(pattern, lower) for pattern in self._patterns)
        words = self._words(body)
        return all(_is_among(phrase, words) for phrase in self.phrases)

    def _expression(self, table: str, part: Phrase) -> str:
        """A prefix becomes the words that have it, where they are few: FTS5 is slow at prefixes."""
        if not part.is_prefix:
            return _quote(part.words)
        *before, last = part.words
        words = words_with_prefix(self._connection, table, last)
        if words is None:
            self.has_broad_prefix = True
            return f"{_quote(part.words)} *"
        return f"({' OR '.join(_quote([*before, word]) for word in words or [last])})"

    def _alternatives(self, group: Sequence[Term]) -> str:
        words = ((self._words(term.text), " *" if term.is_prefix else "") for term in group)
        return f"({' OR '.join(_quote(one) + star for one, star in words)})"


class RawLineFilter:
    """Rules lines out by their raw bytes, without decoding them. Phrases are in lower case."""

    def __init__(self, phrases: list[list[str]]) -> None:
        pairs = [pair for words in phrases for pair in pairwise(words)]
        ascii_pairs = [pair for pair in pairs if "".join(pair).isascii()]
        self._pairs = [_pair_pattern(one.encode(), other.encode()) for one, other in ascii_pairs]

    def may_match(self, line: bytes) -> bool:
        """False only if the texts of a line of JSON lack one of the phrases."""
        lower = line.lower()
        for pair in self._pairs:
            if pair.search(lower) is None:
                return _may_hide_ascii(lower)
        return True


def _pair_pattern(one: bytes, other: bytes) -> re.Pattern[bytes]:
    """Two words side by side, or the first of them at the end of one of a line's texts."""
    pattern = re.escape(one) + b"(?![0-9a-z])" + _BETWEEN + b"(?:" + re.escape(other) + b'|")'
    return re.compile(pattern, re.DOTALL)


def _may_hide_ascii(lower: bytes) -> bool:
    is_plain = lower.isascii() or _MAY_BE_ASCII.search(lower) is None
    return not is_plain or _ESCAPED_LETTER.search(lower) is not None


def _singles(part: Phrase) -> list[Phrase]:
    *words, last = part.words
    return [*(Phrase([word], False) for word in words), Phrase([last], part.is_prefix)]


def _quote(words: list[str]) -> str:
    return f'"{" ".join(words)}"'


def _pattern(phrase: Phrase) -> re.Pattern[str]:
    """A phrase in an ASCII text in lower case; what stands before it is for `_occurs` to check."""
    first, *others = map(re.escape, phrase.words)
    end = "" if phrase.is_prefix else "(?![0-9a-z])"
    return re.compile(f"{first}(?={''.join('[^0-9a-z]+' + word for word in others)}{end})")


def _occurs(pattern: re.Pattern[str], lower: str) -> bool:
    """A look behind inside of the pattern would take ten times as long."""
    starts = (match.start() for match in pattern.finditer(lower))
    return any(at == 0 or not lower[at - 1].isalnum() for at in starts)


def _is_among(phrase: Phrase, words: list[str]) -> bool:
    *before, last = phrase.words
    for start in range(len(words) - len(before)):
        word = words[start + len(before)]
        fits = word.startswith(last) if phrase.is_prefix else word == last
        if fits and words[start : start + len(before)] == before:
            return True
    return False
