"""Model tones: eight that everyone can tell apart, on both papers, and none that is a warning."""

import pytest

from tools.tones import (
    APART,
    CSS,
    PALEST,
    SIGHTS,
    contrast,
    is_warning,
    linear,
    nearest,
    oklab,
    tokens,
)

TEXT = CSS.read_text("utf-8")
THEMES = {"light": 0, "dark": 1}


def tones(theme: str) -> list[str]:
    return [tokens(f"p{n}", TEXT)[THEMES[theme]] for n in range(1, 9)]


@pytest.mark.parametrize("theme", THEMES)
def test_any_two_tones_differ_for_every_kind_of_sight(theme: str) -> None:
    assert len(tones(theme)) == 8
    assert nearest(tones(theme)) >= APART


@pytest.mark.parametrize("theme", THEMES)
def test_no_tone_is_amber_or_red(theme: str) -> None:
    assert [one for one in tones(theme) if is_warning(one)] == []


@pytest.mark.parametrize("theme", THEMES)
def test_every_tone_shows_on_its_paper(theme: str) -> None:
    paper = tokens("paper", TEXT)[THEMES[theme]]

    assert min(contrast(one, paper) for one in tones(theme)) >= PALEST


@pytest.mark.parametrize("token", ["wait", "wait-mark", "fail"])
@pytest.mark.parametrize("theme", THEMES)
def test_the_warnings_themselves_are_known_as_such(theme: str, token: str) -> None:
    assert is_warning(tokens(token, TEXT)[THEMES[theme]])


def test_white_is_light_without_a_hue_whoever_looks() -> None:
    for sight in SIGHTS:
        light, a, b = oklab(linear("#ffffff"), sight)
        assert (light, a, b) == pytest.approx((1, 0, 0), abs=1e-3)


def test_red_is_where_its_author_says() -> None:
    assert oklab(linear("#ff0000")) == pytest.approx((0.628, 0.2249, 0.1258), abs=1e-3)


def test_red_and_green_are_nearer_to_eyes_that_lack_a_cone() -> None:
    red, green = "#c04040", "#408040"

    assert nearest([red, green]) < 0.6 * nearest_for("normal", red, green)


def nearest_for(sight: str, one: str, other: str) -> float:
    pairs = zip(oklab(linear(one), sight), oklab(linear(other), sight), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)
