"""Whatever a transcript holds, twice of it takes about twice as long: no line stops the reader."""

from collections.abc import Callable

import pytest

from tests.show.growth import slow
from unspool.show import safe, spans
from unspool.show.ansi import ansi, visible
from unspool.show.text.layout import passage, prose

WORKS: dict[str, Callable[[str], object]] = {
    "ansi": ansi,
    "visible": lambda text: list(visible(text)),
    "safe": safe.lines,
    "safe, one line": safe.line,
    "wrap": lambda text: spans.wrap(text, 78),
    "prose": lambda text: list(prose(text, 78)),
    "passage": lambda text: passage(text, 78, 40, 10),
}


@pytest.mark.parametrize("name", WORKS)
def test_text_again_and_again_takes_no_longer(name: str) -> None:
    assert slow(WORKS[name]) == {}
