"""A regular expression -> texts that every match of it contains, to look up before it is run."""

import re
from typing import Final, TypeAlias
from unicodedata import category

# Texts of letters and digits in lower case; a match contains at least one of them.
Literals: TypeAlias = frozenset[str]

_MOST: Final = 4  # more would hardly rule out another line
# \Q...\E, and flags before a repetition: what repeats is then not what stands before it.
_UNREADABLE: Final = re.compile(r"\\Q|\(\?[a-zA-Z-]*\)[*+?{]")
_FLAGS: Final = re.compile(r"\(\?[a-zA-Z-]*\)")
_GROUP: Final = re.compile(r"\((?:\?(?:P?<\w+>|[a-zA-Z-]*:))?")
_CLASS: Final = re.compile(r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)
_ESCAPE: Final = re.compile(
    r"\\(?:[pP]\{[^}]*\}|[pP].|x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|.)", re.DOTALL
)
_REPEAT: Final = re.compile(r"(?:([*+?])|\{(\d+)(,?)(\d*)\})\??")


def required_literals(pattern: str) -> tuple[Literals, ...]:
    """Every match contains one text of each of these; the longest come first.

    The pattern is one that RE2 accepts. Nothing is known of some patterns.
    """
    parser = _Parser(pattern)
    found = [] if _UNREADABLE.search(pattern) else parser.alternatives()
    if not parser.is_done:
        return ()
    return tuple(sorted(set(found), key=_selectivity, reverse=True)[:_MOST])


def _selectivity(literals: Literals) -> tuple[int, list[str]]:
    """The shortest text decides how much is ruled out; the texts make the order definite."""
    return min(map(len, literals)), sorted(literals)


class _Sequence:
    """What the items of a sequence contain; literal characters side by side are one text."""

    def __init__(self) -> None:
        self.found: list[Literals] = []
        self._text = ""

    def add(self, character: str) -> None:
        """Add one that every match has next."""
        if _is_in_words(character):
            self._text += character.lower()
        else:
            self.end_text()

    def end_text(self) -> None:
        if self._text:
            self.found.append(frozenset({self._text}))
        self._text = ""


class _Parser:
    """Reads the syntax of RE2 as far as it decides what a match contains."""

    def __init__(self, pattern: str) -> None:
        self._pattern, self._at = pattern, 0

    @property
    def is_done(self) -> bool:
        return self._at == len(self._pattern)

    def alternatives(self) -> list[Literals]:
        """Read `a|b|c` up to a closing parenthesis or the end."""
        branches = [self._sequence()]
        while self._pattern.startswith("|", self._at):
            self._at += 1
            branches.append(self._sequence())
        if len(branches) == 1 or not all(branches):
            return branches[0] if len(branches) == 1 else []
        return [frozenset().union(*(max(branch, key=_selectivity) for branch in branches))]

    def _sequence(self) -> list[Literals]:
        sequence = _Sequence()
        while not self.is_done and self._pattern[self._at] not in "|)":
            self._item(sequence)
        sequence.end_text()
        return sequence.found

    def _item(self, sequence: _Sequence) -> None:
        """Read a character, a class or a group, and how often it occurs."""
        character, inner = self._atom()
        least, most = self._repetition()
        if least and character:
            sequence.add(character)
        else:
            sequence.end_text()
        if least:
            sequence.found += inner
        if most != 1:
            sequence.end_text()

    def _atom(self) -> tuple[str, list[Literals]]:
        """A literal character or "", and what a group contains."""
        if self._take(_FLAGS) or self._take(_CLASS):
            return "", []
        if self._take(_GROUP):
            inner = self.alternatives()
            self._at += 1  # the closing parenthesis
            return "", inner
        if escape := self._take(_ESCAPE):
            return "" if escape[0][1].isalnum() else escape[0][1], []
        self._at += 1
        character = self._pattern[self._at - 1]
        return "" if character in ".^$" else character, []

    def _repetition(self) -> tuple[int, int]:
        """How often at least and at most; -1 is without end."""
        found = self._take(_REPEAT)
        if found is None:
            return 1, 1
        sign, least, comma, most = found.groups()
        if sign:
            return int(sign == "+"), 1 if sign == "?" else -1
        return int(least), int(most or (-1 if comma else least))

    def _take(self, syntax: re.Pattern[str]) -> re.Match[str] | None:
        found = syntax.match(self._pattern, self._at)
        self._at = found.end() if found else self._at
        return found


def _is_in_words(character: str) -> bool:
    """Whether the index has it in words, as itself or in lower case: no accents, no other cases."""
    return category(character) == "Lo" or (character.isascii() and character.isalnum())
