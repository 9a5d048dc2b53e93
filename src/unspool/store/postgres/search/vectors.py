"""Texts -> the words and places of a tsvector, as our own tokeniser splits them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from unspool.store.terms import words

# Limits of a tsvector: 2,046 bytes a word, 255 places of a word, place 16,383, 1 MB in all.
_LONGEST: Final = 500  # characters of a word
_MOST_PLACES: Final = 250
_LAST_PLACE: Final = 16_000
_MOST_WORDS: Final = 10_000
_MOST_BYTES: Final = 500_000
# Parts share as many words as a phrase can have: what is typed has at most 256 characters.
_OVERLAP: Final = 128
# Ends a word that was cut, so that it is found by its beginning alone.
CUT: Final = "\ue000"


def lexeme(word: str) -> str:
    """A word as it is stored; no letter or digit has a meaning in a tsvector."""
    return word if len(word) <= _LONGEST else word[:_LONGEST] + CUT


def vectors(bodies: Iterable[str]) -> tuple[list[str], set[str]]:
    """The tsvectors of a line's texts, of which long ones need several, and their words."""
    found = list(_places(bodies))
    return [_literal(part) for part in _parts(found)], {word for _, word in found}


def _places(bodies: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Words and their places; between two texts there is a gap, so that no phrase crosses it."""
    place = 0
    for body in bodies:
        for word in words(body):
            place += 1
            yield place, lexeme(word)
        place += 1


def _parts(found: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    begin = 0
    while True:
        end = _end(found, begin)
        yield found[begin:end]
        if end == len(found):
            return
        begin = max(begin + 1, end - _OVERLAP)


def _end(found: list[tuple[int, str]], begin: int) -> int:
    """Where the part ends that begins at a word."""
    counts, size = Counter[str](), 0
    for end in range(begin, len(found)):
        place, word = found[end]
        size += 0 if word in counts else len(word) * 4
        counts[word] += 1
        is_far = end - begin >= _MOST_WORDS or place - found[begin][0] >= _LAST_PLACE
        if is_far or counts[word] > _MOST_PLACES or size > _MOST_BYTES:
            return end
    return len(found)


def _literal(part: list[tuple[int, str]]) -> str:
    places: dict[str, list[int]] = defaultdict(list)
    before = part[0][0] - 1 if part else 0
    for place, word in part:
        places[word].append(place - before)
    return " ".join(f"'{word}':{','.join(map(str, at))}" for word, at in places.items())
