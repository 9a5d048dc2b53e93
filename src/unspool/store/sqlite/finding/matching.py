"""Terms -> what each full-text index is asked, and whether a body really has a phrase."""

from typing import NamedTuple

import apsw

from unspool.store.terms import Term

_TOKENIZER = ("unicode61", ["remove_diacritics", "2"])


class Phrase(NamedTuple):
    """Words that must stand side by side."""

    words: list[str]
    is_prefix: bool


class Matching:
    """A search in words of the full-text indexes; the one without places gets single words."""

    def __init__(self, connection: apsw.Connection, wanted: list[Term]) -> None:
        self._split = connection.fts5_tokenizer(*_TOKENIZER)
        parts = [Phrase(self._words(term.text), term.is_prefix) for term in wanted]
        parts = [part for part in parts if part.words]
        self.phrases = [part for part in parts if len(part.words) > 1]
        self.expressions = {
            "said": " ".join(_quoted(" ".join(part.words), part.is_prefix) for part in parts),
            "output": " ".join(" ".join(_single(part)) for part in parts),
        }

    @property
    def is_asked(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self.expressions["output"])

    def has_phrases(self, body: str) -> bool:
        """Whether a text has every phrase, word beside word."""
        words = self._words(body)
        return all(_stands(phrase, words) for phrase in self.phrases)

    def _words(self, text: str) -> list[str]:
        data = text.encode("utf-8", "replace")
        how = apsw.FTS5_TOKENIZE_DOCUMENT
        found = self._split(data, how, None, include_offsets=False, include_colocated=False)
        return [str(word) for word in found]


def _single(part: Phrase) -> list[str]:
    *words, last = part.words
    return [*(_quoted(word, False) for word in words), _quoted(last, part.is_prefix)]


def _quoted(text: str, is_prefix: bool) -> str:
    return f'"{text}" *' if is_prefix else f'"{text}"'


def _stands(phrase: Phrase, words: list[str]) -> bool:
    *before, last = phrase.words
    for start in range(len(words) - len(before)):
        word = words[start + len(before)]
        fits = word.startswith(last) if phrase.is_prefix else word == last
        if fits and words[start : start + len(before)] == before:
            return True
    return False
