"""Phrases -> whether a line of JSON may have them, told from its bytes: nothing is decoded."""

import re
from itertools import pairwise
from typing import Final

# What may stand between two words: no letter and no digit, or a character written as its number.
_BETWEEN: Final = rb"(?:[^0-9a-z\\]|\\u[0-9a-f]{4}|\\.)"
# Letters that are plain ones with a mark, or that have a plain one as their lower case; and
# all that is written as a number, unless that is a control character or a sign.
_HIDES: Final = re.compile(rb"[\xc3-\xcf\xe1]|\xe2\x84|\\u(?!00[01]|2[02-9a-f])")


class Bytewise:
    """Some phrases, each a list of words in lower case."""

    def __init__(self, phrases: list[list[str]]) -> None:
        pairs = [pair for words in phrases for pair in pairwise(words)]
        plain = [pair for pair in pairs if "".join(pair).isascii()]
        self._pairs = [_pair(one.encode(), other.encode()) for one, other in plain]

    def may_have(self, line: bytes) -> bool:
        """False where it is sure that the texts of a line have not every phrase."""
        low = line.lower()
        return all(pair.search(low) for pair in self._pairs) or _may_hide(low)


def _pair(one: bytes, other: bytes) -> re.Pattern[bytes]:
    """Two words side by side, or the first of them at the end of one of a line's texts."""
    beside, ends = _BETWEEN + b"+" + re.escape(other), _BETWEEN + rb'*?"\s*[]},:]'
    return re.compile(re.escape(one) + b"(?:" + beside + b"|" + ends + b")", re.DOTALL)


def _may_hide(low: bytes) -> bool:
    return not (low.isascii() and b"\\u" not in low) and _HIDES.search(low) is not None
