"""Search the eight model tones of tokens.css: any two differ, also for eyes that lack a cone.

`python tools/tones.py` prints the best sets it finds, for light and for dark paper.
"""

import random
import re
from collections.abc import Sequence
from itertools import combinations
from math import atan2, cos, degrees, dist, hypot, radians, sin
from pathlib import Path
from typing import Final, TypeAlias

Rgb: TypeAlias = tuple[float, float, float]  # linear light, 0 to 1
Lab: TypeAlias = tuple[float, float, float]
Matrix: TypeAlias = tuple[Rgb, Rgb, Rgb]

CSS: Final = Path(__file__).parents[1] / "src/unspool/show/static/css/tokens.css"
TONES: Final = 8
APART: Final = 0.12  # in OKLab, between any two, for every kind of sight
PALEST: Final = 1.9  # contrast against the paper; order, outline and legend carry the rest
_GREY, _RED, _AMBER = 0.05, 5, 118  # chroma, and hues in degrees
_TRIES, _STEPS = 40, 3_000

# OKLab, as Björn Ottosson published it: linear sRGB -> cones -> lightness and two hues.
_CONES: Final[Matrix] = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_LAB: Final[Matrix] = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_FROM_LAB: Final[Matrix] = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_FROM_CONES: Final[Matrix] = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)
# Machado, Oliveira and Fernandes 2009, severity 1: linear sRGB as it is seen without one cone.
SIGHTS: Final[dict[str, Matrix]] = {
    "normal": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: str) -> Rgb:
    """`#261d6e` as linear light."""
    red, green, blue = (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
    return _open(red), _open(green), _open(blue)


def _open(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def oklab(rgb: Rgb, sight: str = "normal") -> Lab:
    """A colour as it is seen."""
    red, green, blue = _times(SIGHTS[sight], rgb)
    cones = _times(_CONES, (max(0.0, red), max(0.0, green), max(0.0, blue)))
    return _times(_LAB, (cones[0] ** (1 / 3), cones[1] ** (1 / 3), cones[2] ** (1 / 3)))


def _times(matrix: Matrix, v: Rgb) -> Rgb:
    one, two, three = (row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in matrix)
    return one, two, three


def nearest(colours: Sequence[str]) -> float:
    """How far apart the two are that are hardest to tell, over every kind of sight."""
    seen = ([oklab(linear(one), sight) for one in colours] for sight in SIGHTS)
    return min(dist(a, b) for labs in seen for a, b in combinations(labs, 2))


def contrast(one: str, other: str) -> float:
    """As WCAG counts it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def is_warning(colour: str) -> bool:
    """Whether it is amber or red, which mean a wait and a failure; a warm grey is not."""
    _, a, b = oklab(linear(colour))
    return hypot(a, b) > _GREY and (degrees(atan2(b, a)) - _RED) % 360 <= _AMBER - _RED


def tokens(name: str, text: str) -> tuple[str, str]:
    """The light and the dark colour of a token."""
    found = re.search(rf"--{name}: light-dark\((#[0-9a-f]{{6}}), (#[0-9a-f]{{6}})\)", text)
    if found is None:
        raise KeyError(name)
    return found[1], found[2]


def search(paper: str, others: Sequence[str], seed: int) -> list[str]:
    """The best set that climbing from many random ones finds, the clearest on this paper first."""
    chance = random.Random(seed)  # noqa: S311 - colours are no secret
    best: list[str] = []
    for _ in range(_TRIES):
        found = _climb(
            [_random(paper, others, chance) for _ in range(TONES)], paper, others, chance
        )
        if not best or nearest(found) > nearest(best):
            best = found
    return sorted(best, key=lambda one: -contrast(one, paper))


def _climb(found: list[str], paper: str, others: Sequence[str], chance: random.Random) -> list[str]:
    least = nearest(found)
    for _ in range(_STEPS):
        n = chance.randrange(TONES)
        tried = [*found[:n], _random(paper, others, chance), *found[n + 1 :]]
        if (apart := nearest(tried)) > least:
            found, least = tried, apart
    return found


def _random(paper: str, others: Sequence[str], chance: random.Random) -> str:
    """A colour that a screen can show, clear on the paper, no warning, and none of the others."""
    while True:
        light, chroma, hue = (
            chance.uniform(0.2, 0.95),
            chance.uniform(0, 0.2),
            chance.uniform(0, 360),
        )
        lab = light, chroma * cos(radians(hue)), chroma * sin(radians(hue))
        cones = _times(_FROM_LAB, lab)
        rgb = _times(_FROM_CONES, (cones[0] ** 3, cones[1] ** 3, cones[2] ** 3))
        if not all(0 <= part <= 1 for part in rgb):
            continue
        colour = "#" + "".join(f"{round(255 * _close(part)):02x}" for part in rgb)
        is_clear = contrast(colour, paper) >= PALEST and not is_warning(colour)
        seen = oklab(linear(colour))
        if is_clear and all(dist(seen, oklab(linear(one))) >= APART for one in others):
            return colour


def _close(part: float) -> float:
    return part * 12.92 if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def main() -> None:
    """Print a set for each paper, and how far apart its nearest two are."""
    text = CSS.read_text("utf-8")
    names = ("wait-mark", "fail")
    for theme, paper in enumerate(tokens("paper", text)):
        others = [tokens(name, text)[theme] for name in names]
        found = search(paper, others, theme)
        clear = min(contrast(one, paper) for one in found)
        print(*found, f"apart {nearest(found):.3f}, contrast {clear:.1f}")


if __name__ == "__main__":
    main()
