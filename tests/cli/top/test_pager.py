from collections.abc import Iterator

from unspool.cli.top.pager import Pager
from unspool.show.spans import Line, plain


class Text:
    """Lines that know how many of them were made."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.made = 0

    def lines(self, width: int) -> Iterator[Line]:
        for n in range(self.count):
            self.made = n + 1
            yield (("", f"line {n} at {width}"),)


def page(pager: Pager, width: int = 40, height: int = 5) -> list[str]:
    return [plain(line) for line in pager.screenful(width, height).lines]


def test_the_first_page_is_shown_and_no_more_is_made() -> None:
    text = Text(1_000)
    shown = page(Pager("a session", text.lines))

    assert shown[:4] == [f"line {n} at 40" for n in range(4)]
    assert "q back" in shown[4]
    assert text.made < 20


def test_keys_turn_pages_and_stop_at_the_ends() -> None:
    pager = Pager("a session", Text(10).lines)
    page(pager)
    pager.press(" ", 5)
    assert page(pager)[0] == "line 4 at 40"
    pager.press("G", 5)
    assert page(pager)[3] == "line 9 at 40"
    pager.press("page down", 5)
    assert page(pager)[3] == "line 9 at 40"
    pager.press("g", 5)
    pager.press("k", 5)

    assert page(pager)[0] == "line 0 at 40"


def test_a_live_session_opens_at_its_end() -> None:
    assert page(Pager("a session", Text(10).lines, at_end=True))[3] == "line 9 at 40"


def test_another_width_makes_the_lines_anew_and_stays_at_the_end() -> None:
    pager = Pager("a session", Text(10).lines, at_end=True)
    page(pager)

    assert page(pager, width=30)[3] == "line 9 at 30"


def test_another_width_keeps_the_place_of_who_reads_before_the_end() -> None:
    for keys in ("j", " ", "Gk", "g"):
        pager = Pager("a session", Text(100).lines)
        page(pager)
        for key in keys:
            pager.press(key, 5)
        first = page(pager)[0]

        assert page(pager, width=30)[0] == first.replace("at 40", "at 30"), keys


def test_keys_that_reach_the_end_stay_there_at_another_width() -> None:
    class Growing(Text):
        def lines(self, width: int) -> Iterator[Line]:
            self.count += 10
            return super().lines(width)

    for keys in ("G", " " * 9):
        pager = Pager("a session", Growing(10).lines)
        page(pager)
        for key in keys:
            pager.press(key, 5)

        assert page(pager, width=30)[3] == "line 29 at 30", keys


def test_a_short_text_fills_the_page_with_nothing() -> None:
    assert page(Pager("a session", Text(1).lines))[:4] == ["line 0 at 40", "", "", ""]


def test_q_and_escape_leave() -> None:
    pager = Pager("a session", Text(1).lines)

    assert pager.press("j", 5)
    assert not pager.press("q", 5)
    assert not pager.press("escape", 5)


def test_long_lines_are_cut() -> None:
    def lines(_: int) -> Iterator[Line]:
        yield (("", "x" * 500),)

    assert len(page(Pager("a session", lines))[0]) == 40
