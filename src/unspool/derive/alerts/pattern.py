"""A pattern somebody wrote -> its parts, or why it is not taken.

Refused is what makes other engines run for ever: a repeated group that itself repeats or
chooses, and back-references. What is left is searched in time that grows with the text alone.
"""

import re
from typing import Final, Literal, NamedTuple, TypeAlias

LONGEST: Final = 100
_MOST_REPEATS: Final = 50

_ATOM: Final = re.compile(
    r"\\(?:[dDsSwWnrtfv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^a-zA-Z0-9])"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|[^\\\[\]()|*+?^$]"
)
_HOLD: Final = re.compile(r"\\[AZbB]|[\^$]")
_OPEN: Final = re.compile(r"\((?:\?:|\?P<\w+>|(?!\?))")
_MANY: Final = re.compile(r"([*+?]|\{(?!\})(\d{0,3})(,?)(\d{0,3})\})(\??)")
# Sets that a later Python may read differently.
_ODD_SET: Final = re.compile(r"\[\^?(?:\[|.*(?:\[|--|&&|~~|\|\|))")


class Atom(NamedTuple):
    """One character of some kind, as a pattern of its own."""

    text: str


class Hold(NamedTuple):
    """A place between two characters: ^ $ \\A \\Z \\b \\B."""

    kind: str


class Repeat(NamedTuple):
    """A part so many times; no `most` is any number."""

    part: "Part"
    least: int
    most: int | None


class Group(NamedTuple):
    """Parts one after the other, or one of them."""

    kind: Literal["all", "one"]
    parts: list["Part"]


Part: TypeAlias = Atom | Hold | Repeat | Group


class Refused(Exception):
    """Why a pattern is not taken."""


def parse(pattern: str) -> Part:
    """Read a pattern; raises Refused with the reason."""
    if not pattern:
        raise Refused("it is empty")
    if len(pattern) > LONGEST:
        raise Refused(f"it has {len(pattern)} characters, and {LONGEST} are allowed")
    reader = _Reader(pattern)
    part = reader.choice()
    if reader.at < len(pattern):
        raise Refused("a bracket is closed that was not opened")
    return part


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.at = 0

    def choice(self) -> Part:
        """What stands between two brackets, or in the whole pattern."""
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else Group("one", parts)

    def _sequence(self) -> Part:
        parts: list[Part] = []
        while self.at < len(self._pattern) and self._pattern[self.at] not in "|)":
            parts.append(self._repeated(self._part()))
        return parts[0] if len(parts) == 1 else Group("all", parts)

    def _part(self) -> Part:
        if found := self._match(_MANY):
            raise Refused(f"{found[0]!r} has nothing to repeat")
        if found := self._match(_HOLD):
            return Hold(found[0])
        if self._match(_OPEN):
            inner = self.choice()
            if not self._take(")"):
                raise Refused("a bracket is not closed")
            return Group("all", [inner])
        if found := self._match(_ATOM):
            if _ODD_SET.match(found[0]) or not _is_sound(found[0]):
                raise Refused(f"{found[0]!r} is no set of characters")
            return Atom(found[0])
        raise Refused(_reason(self._pattern[self.at :]))

    def _repeated(self, part: Part) -> Part:
        found = self._match(_MANY)
        if not found:
            return part
        least, most = _bounds(found)
        if isinstance(part, Hold):
            raise Refused(f"{found[0]!r} has nothing to repeat")
        if self._match(_MANY):
            raise Refused("one repetition stands right after another")
        if found[1] != "?" and _repeats_or_chooses(part):
            raise Refused("it repeats a group that itself repeats or chooses")
        return Repeat(part, least, most)

    def _match(self, what: re.Pattern[str]) -> re.Match[str] | None:
        found = what.match(self._pattern, self.at)
        if found:
            self.at = found.end()
        return found

    def _take(self, character: str) -> bool:
        taken = self._pattern.startswith(character, self.at)
        self.at += taken
        return taken


def _bounds(found: re.Match[str]) -> tuple[int, int | None]:
    sign, low, comma, high = found[1], found[2], found[3], found[4]
    if sign in "*+?":
        return (1 if sign == "+" else 0), (1 if sign == "?" else None)
    least = int(low or 0)
    most = (int(high) if high else None) if comma else least
    if max(least, most or 0) > _MOST_REPEATS or (most is not None and most < least):
        raise Refused(f"{sign!r} is not from 0 to {_MOST_REPEATS} times")
    return least, most


def _repeats_or_chooses(part: Part) -> bool:
    if isinstance(part, Repeat):
        return (part.least, part.most) != (0, 1) or _repeats_or_chooses(part.part)
    if isinstance(part, Group):
        return part.kind == "one" or any(map(_repeats_or_chooses, part.parts))
    return False


def _is_sound(atom: str) -> bool:
    try:
        re.compile(atom)
    except re.error:
        return False
    return True


def _reason(rest: str) -> str:
    if rest.startswith("(?"):
        return f"{rest[:3]!r} is not known here"
    if rest[0] in "[]":
        return "a set of characters is not closed" if rest[0] == "[" else "']' opens nothing"
    return f"{rest[:2]!r} is not known here; there are no back-references"
