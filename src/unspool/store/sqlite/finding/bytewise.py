"""Phrases -> whether a line of JSON may have them, told from its bytes: nothing is decoded."""

import re
from itertools import pairwise
from typing import Final, NamedTuple

# What may stand between two words: no letter and no digit, or a character written as its number.
_BETWEEN: Final = rb"(?:[^0-9a-z\\]|\\u[0-9a-f]{4}|\\.)"
# Letters that are plain ones with a mark, or that have a plain one as their lower case; and
# all that is written as a number, unless that is a control character or a sign.
_HIDES: Final = re.compile(rb"[\xc3-\xcf\xe1]|\xe2\x84|\\u(?!00[01]|2[02-9a-f])")


class _Pair(NamedTuple):
    """Two words of a phrase: side by side, or one at the end of a text and one at a beginning."""

    beside: re.Pattern[bytes]
    ends: re.Pattern[bytes]
    begins: re.Pattern[bytes]


class Bytewise:
    """Some phrases, each a list of words in lower case."""

    def __init__(self, phrases: list[list[str]]) -> None:
        self._is_plain = all(word.isascii() for words in phrases for word in words)
        pairs = [pair for words in phrases for pair in pairwise(words)] if self._is_plain else []
        self._pairs = [_pair(one.encode(), other.encode()) for one, other in pairs]

    def may_have(self, line: bytes) -> bool:
        """False where it is sure that the texts of a line have not every phrase."""
        low = line.lower()
        if all(_fits(pair, low) for pair in self._pairs):
            return True
        return _HIDES.search(low) is not None


def _pair(one: bytes, other: bytes) -> _Pair:
    one, other = re.escape(one), re.escape(other)
    return _Pair(
        re.compile(one + _BETWEEN + b"+" + other, re.DOTALL),
        re.compile(one + _BETWEEN + b'*"', re.DOTALL),
        re.compile(b'"' + _BETWEEN + b"*" + other, re.DOTALL),
    )


def _fits(pair: _Pair, low: bytes) -> bool:
    if pair.beside.search(low):
        return True
    return bool(pair.ends.search(low) and pair.begins.search(low))
