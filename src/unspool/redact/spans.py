"""What a rule finds: a stretch of text, and what kind of secret it is."""

import re
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


def begins(text: str, at: int) -> bool:
    """Whether a word begins here: nothing before it belongs to it."""
    if at == 0 or not _LETTER.match(text, at - 1):
        return True
    return bool(_ESCAPE.search(text, max(0, at - 16), at))


def is_random(piece: str) -> bool:
    """Whether nobody would write this as a word: letters and digits, mixed."""
    seen = piece[:_LOOK]
    return len(seen) >= _RANDOM and any(map(str.isdigit, seen)) and any(map(str.isalpha, seen))


def body_end(text: str, at: int, run: re.Pattern[str], full: int) -> int:
    """Where a run of `full` characters ends, over the ends of lines that break it."""
    first = run.match(text, at)
    end = first.end() if first else at
    have = end - at
    while gap := GAP.match(text, end):
        more = run.match(text, gap.end())
        piece = more[0] if more else ""
        if have < full:
            piece = piece[: full - have]
        elif not is_random(piece) or have < _RANDOM:
            break
        if not piece:
            break
        have += len(piece)
        end = gap.end() + len(piece)
    return end


def whole_end(text: str, end: int, run: re.Pattern[str]) -> int:
    """Where a run ends that may be longer than is looked at in one go."""
    while (more := run.match(text, end)) and more.end() > end:
        end = more.end()
    return end
