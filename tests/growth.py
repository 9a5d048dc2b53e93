"""Whether work grows as its text does, by CPU time: other processes only make a run longer."""

from collections.abc import Callable
from math import log
from time import process_time
from typing import TypeVar

T = TypeVar("T")

LIMIT = log(3, 2)  # twice the text, three times as long
ROUNDS = 5
CERTAIN = 0.05  # seconds that no other process makes of a few


def exponent(
    make: Callable[[int], T], work: Callable[[T], object], size: int, most: int = 256_000
) -> float:
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
            if grown <= LIMIT:
                return grown
        if least > CERTAIN:
            break
        size *= 2
    return grown


def _seconds(work: Callable[[T], object], made: T) -> float:
    begun = process_time()
    work(made)
    return process_time() - begun
