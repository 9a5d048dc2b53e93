"""Terms -> what each full-text index is asked, and whether a body really has a phrase."""

import re
from typing import NamedTuple

import apsw

from unspool.store.sqlite.finding.bytewise import Bytewise
from unspool.store.sqlite.finding.vocabulary import beginning
from unspool.store.sqlite.writing.texts import TABLES
from unspool.store.terms import Term

_TOKENIZER = ("unicode61", ["remove_diacritics", "2"])


class Phrase(NamedTuple):
    """Words that must stand side by side."""

    words: list[str]
    is_prefix: bool


class Matching:
    """A search in words of the full-text indexes; the one without places gets single words."""

    def __init__(self, connection: apsw.Connection, wanted: list[Term]) -> None:
        self._connection = connection
        self._split = connection.fts5_tokenizer(*_TOKENIZER)
        parts = [Phrase(self._words(term.text), term.is_prefix) for term in wanted]
        parts = [part for part in parts if part.words]
        self.words = sum(len(part.words) for part in parts)
        self.phrases = [part for part in parts if len(part.words) > 1]
        self._patterns = [_pattern(phrase) for phrase in self.phrases]
        self.may_have = Bytewise([phrase.words for phrase in self.phrases]).may_have
        self.is_broad = False  # a beginning of so many words that to look for it takes long
        given = {"said": parts, "output": [each for part in parts for each in _singles(part)]}
        self.expressions = {
            table: " AND ".join(self._expression(table, part) for part in given[table])
            for table in TABLES
        }

    @property
    def is_asked(self) -> bool:
        """Whether there is anything to look for."""
        return self.words > 0

    def has_phrases(self, body: str) -> bool:
        """Whether a text has every phrase, word beside word."""
        if body.isascii():
            low = body.lower()
            return all(_occurs(pattern, low) for pattern in self._patterns)
        words = self._words(body)
        return all(_stands(phrase, words) for phrase in self.phrases)

    def _expression(self, table: str, part: Phrase) -> str:
        """A beginning is said as the few words that begin so: the index is slow at finding them."""
        if not part.is_prefix:
            return _quoted(part.words)
        *before, last = part.words
        words = beginning(self._connection, table, last)
        if words is None:
            self.is_broad = True
            return f"{_quoted(part.words)} *"
        return f"({' OR '.join(_quoted([*before, word]) for word in words or [last])})"

    def _words(self, text: str) -> list[str]:
        data = text.encode("utf-8", "replace")
        how = apsw.FTS5_TOKENIZE_DOCUMENT
        found = self._split(data, how, None, include_offsets=False, include_colocated=False)
        return [str(word) for word in found]


def _singles(part: Phrase) -> list[Phrase]:
    *words, last = part.words
    return [*(Phrase([word], False) for word in words), Phrase([last], part.is_prefix)]


def _quoted(words: list[str]) -> str:
    return f'"{" ".join(words)}"'


def _pattern(phrase: Phrase) -> re.Pattern[str]:
    """A phrase as it stands in a text of plain letters in lower case, begin apart."""
    first, *others = map(re.escape, phrase.words)
    end = "" if phrase.is_prefix else "(?![0-9a-z])"
    return re.compile(f"{first}(?={''.join('[^0-9a-z]+' + word for word in others)}{end})")


def _occurs(pattern: re.Pattern[str], low: str) -> bool:
    """Looked at here, what is before costs a tenth of what it does inside a pattern."""
    found = (match.start() for match in pattern.finditer(low))
    return any(at == 0 or not low[at - 1].isalnum() for at in found)


def _stands(phrase: Phrase, words: list[str]) -> bool:
    *before, last = phrase.words
    for start in range(len(words) - len(before)):
        word = words[start + len(before)]
        fits = word.startswith(last) if phrase.is_prefix else word == last
        if fits and words[start : start + len(before)] == before:
            return True
    return False
