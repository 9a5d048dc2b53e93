"""Changed lines -> lines with the words that differ: only a line that replaces another has any."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

from unspool.show.ansi import Piece, visible
from unspool.show.diff import Change

Marked: TypeAlias = tuple[str, tuple[Piece, ...]]  # + or - or a space, and the line in pieces


def marked(changes: Sequence[Change]) -> Iterator[Marked]:
    """Each line with its sign; where as many lines went as came, word by word."""
    runs = [(sign, [line for _, line in run]) for sign, run in groupby(changes, lambda one: one[0])]
    for at, (sign, lines) in enumerate(runs):
        other = _other(runs, at)
        for number, line in enumerate(lines):
            yield sign, tuple(_pieces(line, other[number] if other else None, sign))


def _other(runs: Sequence[tuple[str, list[str]]], at: int) -> list[str] | None:
    """The lines that these replace, or that replace these."""
    sign, lines = runs[at]
    near = {"-": at + 1, "+": at - 1}.get(sign, -1)
    if not 0 <= near < len(runs) or {sign, runs[near][0]} != {"-", "+"}:
        return None
    return runs[near][1] if len(runs[near][1]) == len(lines) else None


def _pieces(line: str, other: str | None, sign: str) -> Iterator[Piece]:
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


def _common(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
