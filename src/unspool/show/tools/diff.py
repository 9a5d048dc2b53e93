"""Two texts or a patch -> changed lines, and the words in which a changed line differs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

from unspool.show.ansi import Segment, visible
from unspool.show.safe import raw_lines

Change: TypeAlias = tuple[str, str]  # + or - or a space, and the line
MarkedLine: TypeAlias = tuple[str, tuple[Segment, ...]]

_CONTEXT = 1


def between(old: str, new: str) -> list[Change]:
    """Removed and added lines; the common beginning and end are left out.

    Linear, so that a rewritten file costs no more than reading it.
    """
    before, after = raw_lines(old), raw_lines(new)
    first = _common(before, after)
    last = _common(before[first:][::-1], after[first:][::-1])
    stop_old, stop_new = len(before) - last, len(after) - last
    return [
        *((" ", line) for line in before[max(first - _CONTEXT, 0) : first]),
        *(("-", line) for line in before[first:stop_old]),
        *(("+", line) for line in after[first:stop_new]),
        *((" ", line) for line in before[stop_old : stop_old + _CONTEXT]),
    ]


def from_patch(hunks: Sequence[Mapping[str, Any]]) -> list[Change]:
    """The lines of a `structuredPatch`, as far as they are lines."""
    changes: list[Change] = []
    for hunk in hunks:
        lines = hunk.get("lines")
        for line in lines if isinstance(lines, list) else ():
            if isinstance(line, str) and line[:1] in ("+", "-", " "):
                changes.append((line[:1], line[1:]))
    return changes


def marked(changes: Sequence[Change]) -> Iterator[MarkedLine]:
    """Each line with its sign; where a block replaces one of equal length, word by word."""
    runs = [(sign, [line for _, line in run]) for sign, run in groupby(changes, lambda one: one[0])]
    for at, (sign, lines) in enumerate(runs):
        other = _other(runs, at)
        for number, line in enumerate(lines):
            yield sign, tuple(_segments(line, other[number] if other else None, sign))


def _other(runs: Sequence[tuple[str, list[str]]], at: int) -> list[str] | None:
    """The block of lines that this one replaces, or that replaces it."""
    sign, lines = runs[at]
    near = {"-": at + 1, "+": at - 1}.get(sign, -1)
    if not 0 <= near < len(runs) or {sign, runs[near][0]} != {"-", "+"}:
        return None
    return runs[near][1] if len(runs[near][1]) == len(lines) else None


def _segments(line: str, other: str | None, sign: str) -> Iterator[Segment]:
    first = _common(line, other or "")
    last = _common(line[first:][::-1], (other or "")[first:][::-1])
    end = len(line) - last
    # Lines that have little in common are better read as two.
    if (
        other is None
        or 3 * (first + last) < len(line.strip())
        or not line[:first].strip() + line[end:].strip()
    ):
        yield from visible(line)
        return
    yield from visible(line[:first])
    yield from visible(line[first:end], "ins" if sign == "+" else "del")
    yield from visible(line[end:])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How long the common beginning is."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
