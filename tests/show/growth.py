"""Which hostile texts take a renderer longer than their length explains."""

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.hostile_texts import TEXTS, Maker
from tests.growth import LIMIT, exponent


def slow(
    work: Callable[[str], Any],
    texts: Mapping[str, Maker] = TEXTS,
    size: int = 4_000,
    most: int = 256_000,
) -> dict[str, float]:
    """The texts with which it grows faster, and how fast; `most` is the largest to begin at."""
    grown = {name: exponent(make, work, size, most) for name, make in texts.items()}
    return {name: round(power, 2) for name, power in grown.items() if power > LIMIT}
