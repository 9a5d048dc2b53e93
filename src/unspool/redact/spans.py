"""What a rule finds: a stretch of text, and what kind of secret it is."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

# Where a secret may be broken: the end of a line, as it is or escaped, and an indent after it.
GAP: Final = re.compile(r"(?:\r?\n|\\{1,64}r\\{1,64}n|\\{1,64}n)[ \t│|]{0,40}")
# A letter that belongs to an escape before it: \n, \t, %3D, \u001b[0m.
_ESCAPE: Final = re.compile(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4}|\[[0-9;]{0,12}m)\Z")
_LETTER: Final = re.compile(r"[A-Za-z0-9_]")
_RANDOM: Final = 8
_LOOK: Final = 128


class Found(NamedTuple):
    """From `start` to `end` stands a secret."""

    start: int
    end: int
    kind: str
    goes_on: bool = False  # with what the one before it is a piece of


def begins(text: str, at: int) -> bool:
    """Whether a word begins here: nothing before it belongs to it."""
    if at == 0 or not _LETTER.match(text, at - 1):
        return True
    return bool(_ESCAPE.search(text, max(0, at - 16), at))


def is_random(piece: str) -> bool:
    """Whether nobody would write this as a word: letters and digits, mixed."""
    seen = piece[:_LOOK]
    return len(seen) >= _RANDOM and any(map(str.isdigit, seen)) and any(map(str.isalpha, seen))


class Runs:
    """Where runs of letters end in a text: each is walked once, however many names stand in it.

    A run is a pattern of one set of letters, as many as there are.
    """

    __slots__ = ("_ends", "_last", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._last: dict[re.Pattern[str], tuple[int, int]] = {}
        self._ends: dict[re.Pattern[str], dict[int, int]] = {}

    def end(self, at: int, run: re.Pattern[str]) -> int:
        """Where a run ends with its line."""
        start, end = self._last.get(run, (0, 0))
        if not start <= at < end:
            found = run.match(self.text, at)
            end = found.end() if found else at
            self._last[run] = at, end
        return end

    def body_end(self, at: int, run: re.Pattern[str], full: int) -> int:
        """Where a run of `full` characters ends, over the ends of lines that break it."""
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
        """The place from which no step leads on; it is remembered for every place on the way."""
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
    """The end of the next line, if it looks as though the run went on there."""
    if gap := GAP.match(runs.text, at):
        end = runs.end(gap.end(), run)
        if is_random(runs.text[gap.end() : min(end, gap.end() + _LOOK)]):
            return end
    return at
