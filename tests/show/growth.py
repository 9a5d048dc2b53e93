"""Whether work grows as its text does, by CPU time: other processes only make a run longer."""

from collections.abc import Callable, Mapping
from math import log
from time import process_time
from typing import Any

from benchmarks.hostile_texts import TEXTS, Maker

LIMIT = log(3, 2)  # twice the text, three times as long
ROUNDS = 5
CERTAIN = 0.05  # seconds that no other process makes of a few


def exponent(make: Maker, work: Callable[[str], object], size: int, most: int) -> float:
    """1 where time grows as the text does, 2 where as its square; of each run the shortest counts.

    What is past a limit of size takes no longer than before, however it grew up to there.
    """
    grown = float("inf")
    while grown > LIMIT and size <= most:
        short, long = make(size), make(4 * size)
        least = greatest = float("inf")
        for _ in range(ROUNDS):
            least = min(least, _seconds(work, short), _seconds(work, short))
            greatest = min(greatest, _seconds(work, long))
            grown = log(greatest / least, 4)
            if grown <= LIMIT or least > CERTAIN:
                return grown
        size *= 2
    return grown


def _seconds(work: Callable[[str], object], text: str) -> float:
    begun = process_time()
    work(text)
    return process_time() - begun


def slow(
    work: Callable[[str], Any],
    texts: Mapping[str, Maker] = TEXTS,
    size: int = 4_000,
    most: int = 256_000,
) -> dict[str, float]:
    """The texts with which it grows faster, and how fast."""
    grown = {name: exponent(make, work, size, most) for name, make in texts.items()}
    return {name: round(power, 2) for name, power in grown.items() if power > LIMIT}
