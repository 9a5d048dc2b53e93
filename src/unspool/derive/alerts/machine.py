"""A pattern and a text -> whether it occurs, in time that grows with the text alone.

All ways to read the pattern are followed at once, one character at a time, and every step is
remembered: no text, however hostile, makes it go back.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from unspool.derive.alerts.pattern import Atom, Group, Hold, Part, Refused, Repeat, parse

MOST_TEXT: Final = 10_000
_MOST_NODES: Final = 500
_MOST_STEPS: Final = 10_000
_MOST_PATTERNS: Final = 500

States: TypeAlias = frozenset[int]
_NONE: Final[States] = frozenset()
_NEW: Final[States] = frozenset({-1})  # a step not taken before


class _Node(NamedTuple):
    """A character to read, a place to hold to, or a fork in the way."""

    next: tuple[int, ...]
    atom: re.Pattern[str] | None = None
    hold: str = ""


class Matcher:
    """Looks for one pattern; case does not matter, ^ and $ are the ends of lines."""

    def __init__(self, part: Part) -> None:
        self._nodes = [_Node(())]  # the first is the end
        self._start = self._built(part, 0)
        self._steps: dict[tuple[States, str, str], States | None] = {}

    def occurs_in(self, text: str) -> bool:
        """Whether the pattern is found in the first 10,000 characters."""
        states, before = _NONE, ""
        for here in (*text[:MOST_TEXT], ""):
            key = (states, _side(before), here)
            found = self._steps.get(key, _NEW)
            if found is _NEW:
                found = self._remembered(key, before)
            if found is None:
                return True
            states, before = found, here
        return False

    def _remembered(self, key: tuple[States, str, str], before: str) -> States | None:
        if len(self._steps) >= _MOST_STEPS:
            self._steps.clear()
        states, _, here = key
        self._steps[key] = found = self._step(states, before, here)
        return found

    def _step(self, states: States, before: str, here: str) -> States | None:
        """Go on by one character; None when the end of the pattern was reached."""
        waiting = [*states, self._start]
        seen: set[int] = set()
        ahead: set[int] = set()
        while waiting:
            number = waiting.pop()
            if number == 0:
                return None
            if number in seen:
                continue
            seen.add(number)
            node = self._nodes[number]
            if node.atom is not None:
                if here and node.atom.fullmatch(here):
                    ahead.update(node.next)
            elif not node.hold or _holds(node.hold, before, here):
                waiting.extend(node.next)
        return frozenset(ahead)

    def _built(self, part: Part, then: int) -> int:
        if isinstance(part, Atom):
            return self._add(_Node((then,), re.compile(part.text, re.IGNORECASE)))
        if isinstance(part, Hold):
            return self._add(_Node((then,), hold=part.kind))
        if isinstance(part, Repeat):
            return self._repeated(part, then)
        return self._grouped(part, then)

    def _grouped(self, group: Group, then: int) -> int:
        if group.kind == "one":
            return self._add(_Node(tuple(self._built(part, then) for part in group.parts)))
        for part in reversed(group.parts):
            then = self._built(part, then)
        return then

    def _repeated(self, repeat: Repeat, then: int) -> int:
        if repeat.most is None:
            again = self._add(_Node(()))
            self._nodes[again] = _Node((self._built(repeat.part, again), then))
            then = again
        else:
            end = then
            for _ in range(repeat.most - repeat.least):
                then = self._add(_Node((self._built(repeat.part, then), end)))
        for _ in range(repeat.least):
            then = self._built(repeat.part, then)
        return then

    def _add(self, node: _Node) -> int:
        if len(self._nodes) >= _MOST_NODES:
            raise Refused("it repeats too much")
        self._nodes.append(node)
        return len(self._nodes) - 1


def occurs(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text; one that is not taken is found nowhere."""
    made = matcher(pattern)
    return not isinstance(made, str) and made.occurs_in(text)


@lru_cache(maxsize=_MOST_PATTERNS)
def matcher(pattern: str) -> Matcher | str:
    """Make a pattern ready to be looked for; or say why it is not taken."""
    try:
        return Matcher(parse(pattern))
    except (Refused, RecursionError) as error:
        return str(error)


def _holds(kind: str, before: str, here: str) -> bool:
    match kind:
        case "^":
            return before in ("", "\n")
        case "$":
            return here in ("", "\n")
        case "\\A":
            return not before
        case "\\Z":
            return not here
    at_edge = _is_word(before) != _is_word(here)
    return at_edge if kind == "\\b" else not at_edge


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _side(before: str) -> str:
    """All that a place asks of the character before it."""
    return before if before in ("", "\n") else "w" if _is_word(before) else " "
