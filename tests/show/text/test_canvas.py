import re

from unspool.show.spans import Line
from unspool.show.text.board import BoardScreen
from unspool.show.text.canvas import Canvas, row

ONE: Line = (("wait", "one"),)
TWO: Line = (("", "two"),)


def screen(*lines: Line, selected: int | None = None) -> BoardScreen:
    return BoardScreen(lines, selected)


def test_the_first_drawing_clears_the_screen() -> None:
    drawn = Canvas(colour=True).draw(screen(ONE, TWO))

    assert "\x1b[2J" in drawn
    assert "\x1b[33mone" in drawn


def test_a_screen_that_is_the_same_is_not_drawn_again() -> None:
    canvas = Canvas(colour=True)
    canvas.draw(screen(ONE, TWO))

    assert canvas.draw(screen(ONE, TWO)) == ""


def test_only_rows_that_changed_are_drawn() -> None:
    canvas = Canvas(colour=True)
    canvas.draw(screen(ONE, TWO))
    drawn = canvas.draw(screen(ONE, (("", "three"),)))

    assert "one" not in drawn
    assert "\x1b[2;1H\x1b[Kthree" in drawn


def test_rows_that_are_no_more_are_wiped() -> None:
    canvas = Canvas(colour=True)
    canvas.draw(screen(ONE, TWO))

    assert "\x1b[2;1H\x1b[K" in canvas.draw(screen(ONE))


def test_what_was_forgotten_is_drawn_again() -> None:
    canvas = Canvas(colour=True)
    canvas.draw(screen(ONE))
    canvas.forget()

    assert "one" in canvas.draw(screen(ONE))


def test_without_colour_only_the_selection_is_told_by_a_style() -> None:
    drawn = Canvas(colour=False).draw(screen(ONE, TWO, selected=1))

    assert re.findall(r"\x1b\[([0-9;]*)m", drawn) == ["7", "0"]


def test_hostile_text_does_nothing() -> None:
    shown = row(((("", "\x1b[2Ja\x07\r\nb\u202ec\x9b31m")),), colour=True)

    assert "\x1b" not in shown
    assert "\r" not in shown
    assert "\u202e" not in shown


def test_what_follows_wide_letters_stands_in_its_column() -> None:
    assert row((("", "漢字"), ("", "x")), colour=False) == "漢字\x1b[5Gx"
