import io
import re
from typing import get_args

from unspool.show.spans import Line, Style
from unspool.show.text.colour import paint


def painted(*lines: Line) -> str:
    out = io.StringIO()
    paint(lines, out, force=True)
    return out.getvalue()


def test_every_style_can_be_painted() -> None:
    line: Line = tuple((style, "x") for style in get_args(Style))

    assert re.sub(r"\x1b\[[0-9;]*m", "", painted(line)) == "x" * len(get_args(Style)) + "\n"


def test_red_is_red() -> None:
    assert painted((("bad", "oh"),)) == "\x1b[31moh\x1b[0m\n"


def test_no_sequence_but_ours_reaches_the_terminal() -> None:
    assert painted((("", "a\x1b[2Jb"), ("", "\x1b]0;t\x07"))) == "ab\n"


def test_words_in_brackets_are_words() -> None:
    assert painted((("", "[red]:smile: 12[/]"),)) == "[red]:smile: 12[/]\n"


def test_a_long_line_is_not_broken() -> None:
    assert painted((("", "x" * 500),)).count("\n") == 1
