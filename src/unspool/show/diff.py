"""Two texts, or a patch -> the lines that changed, marked + and -, with one line around them."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from unspool.show.safe import raw_lines

Change: TypeAlias = tuple[str, str]

_AROUND = 1


def between(old: str, new: str) -> list[Change]:
    """What was taken out and what was put in, the common beginning and end left away.

    Linear, so that a whole rewritten file costs no more than reading it.
    """
    before, after = raw_lines(old), raw_lines(new)
    first = _common(before, after)
    last = _common(before[first:][::-1], after[first:][::-1])
    stop_old, stop_new = len(before) - last, len(after) - last
    return [
        *((" ", line) for line in before[max(first - _AROUND, 0) : first]),
        *(("-", line) for line in before[first:stop_old]),
        *(("+", line) for line in after[first:stop_new]),
        *((" ", line) for line in before[stop_old : stop_old + _AROUND]),
    ]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def from_patch(hunks: Sequence[Mapping[str, Any]]) -> list[Change]:
    """The lines of a `structuredPatch`, as far as they are lines."""
    found: list[Change] = []
    for hunk in hunks:
        lines = hunk.get("lines")
        for line in lines if isinstance(lines, list) else ():
            if isinstance(line, str) and line[:1] in ("+", "-", " "):
                found.append((line[:1], line[1:]))
    return found
