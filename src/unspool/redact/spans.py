"""Spans of secrets in a text, and where runs of characters end."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final, NamedTuple

# Where a secret may be broken: a line end, plain or escaped, and the indent after it.
GAP: Final = re.compile(r"(?:\r?\n|\\{1,64}r\\{1,64}n|\\{1,64}n)[ \t│|]{0,40}")
# A letter that belongs to an escape: \n, \t, %3D, \u001b[0m.
_ESCAPE: Final = re.compile(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4}|\[[0-9;]{0,12}m)\Z")
_LETTER: Final = re.compile(r"[A-Za-z0-9_]")
_RANDOM: Final = 8
_SHUFFLED: Final = 12
_LOOK: Final = 128
_NO_SIGNS: Final = str.maketrans("", "", "+/=-_")


class SecretSpan(NamedTuple):
    """A secret: where it starts and ends, and its kind."""

    start: int
    end: int
    kind: str
    goes_on: bool = False  # it is one secret with the span before it


_NONE: Final = SecretSpan(0, 0, "")


def begins(text: str, at: int) -> bool:
    """Whether a word starts here."""
    if at == 0 or not _LETTER.match(text, at - 1):
        return True
    return bool(_ESCAPE.search(text, max(0, at - 16), at))


def is_random(piece: str) -> bool:
    """Whether this mixes letters and digits, as no word does."""
    head = piece[:_LOOK]
    return len(head) >= _RANDOM and any(map(str.isdigit, head)) and any(map(str.isalpha, head))


def is_shuffled(piece: str) -> bool:
    """Letters only, but no words and no name: capitals are many, and the case changes often."""
    letters = piece[:_LOOK].translate(_NO_SIGNS)
    turns = sum(a.islower() and b.isupper() for a, b in pairwise(letters))
    return (
        turns >= 4
        and len(letters) >= _SHUFFLED
        and letters.isalnum()
        and sum(map(str.isupper, letters)) * 4 >= len(letters)
    )


class Runs:
    """Where runs of characters end in a text; each run is walked once, whatever it contains.

    A run is a pattern of one set of characters, repeated. `token` and `value` are the last ones
    that rules found, and `object_end` where the last object ends that they read: none of it is
    read again.
    """

    __slots__ = ("_ends", "_last", "object_end", "text", "token", "value")

    def __init__(self, text: str) -> None:
        self.text = text
        self.token = self.value = _NONE
        self.object_end = 0
        self._last: dict[re.Pattern[str], tuple[int, int]] = {}
        self._ends: dict[re.Pattern[str], dict[int, int]] = {}

    def end(self, at: int, run: re.Pattern[str]) -> int:
        """Where a run ends on its line."""
        start, end = self._last.get(run, (0, 0))
        if not start <= at < end:
            found = run.match(self.text, at)
            end = found.end() if found else at
            self._last[run] = at, end
        return end

    def body_end(self, at: int, run: re.Pattern[str], full: int) -> int:
        """Where a run of `full` characters ends, across line breaks."""
        end = self.end(at, run)
        have = end - at
        while have < full:
            gap = GAP.match(self.text, end)
            more = run.match(self.text, gap.end(), gap.end() + full - have) if gap else None
            if not more or not more[0]:
                return end
            have += len(more[0])
            end = more.end()
        if have < _RANDOM:
            return end
        return self.last(end, run, _next_line)

    def last(
        self, at: int, run: re.Pattern[str], step: "Callable[[Runs, int, re.Pattern[str]], int]"
    ) -> int:
        """The position where `step` stops advancing, cached for every position on the way."""
        ends = self._ends.setdefault(run, {})
        way: list[int] = []
        while at not in ends:
            way.append(at)
            after = step(self, at, run)
            if after == at:
                ends[at] = at
            at = after
        end = ends[at]
        ends.update((place, end) for place in way)
        return end


def _next_line(runs: Runs, at: int, run: re.Pattern[str]) -> int:
    """The end of the next line, if the run seems to continue there."""
    if gap := GAP.match(runs.text, at):
        end = runs.end(gap.end(), run)
        if is_random(runs.text[gap.end() : min(end, gap.end() + _LOOK)]):
            return end
    return at
