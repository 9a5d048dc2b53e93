from hypothesis import given
from hypothesis import strategies as st

from unspool.show.spans import (
    BLANK,
    Line,
    cells,
    cut,
    ends,
    fit,
    folded,
    indented,
    more,
    pad,
    plain,
    wrap,
)

WORDS = st.text(st.sampled_from("ab 日本é\u0301👩"), max_size=80)


@given(WORDS, st.integers(1, 30))
def test_a_cut_text_fits(text: str, width: int) -> None:
    assert cells(cut(text, width)) <= width


@given(WORDS, st.integers(4, 30))
def test_every_wrapped_line_fits(text: str, width: int) -> None:
    assert all(cells(row) <= width for row in wrap(text, width))


@given(WORDS, st.integers(2, 30))
def test_wrapping_loses_no_letter(text: str, width: int) -> None:
    assert "".join("".join(wrap(text, width)).split()) == "".join(text.split())


@given(WORDS, st.integers(2, 30), st.booleans())
def test_a_padded_text_takes_exactly_its_width(text: str, width: int, right: bool) -> None:
    assert cells(pad(text, width, right=right)) == width


def test_wide_letters_take_two_columns_and_marks_none() -> None:
    assert cells("日本") == 4
    assert cells("e\u0301") == 1


def test_what_is_cut_off_leaves_an_ellipsis() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"
    assert cut("abcd", None) == "abcd"
    assert cut("abcd", 0) == ""


def test_a_list_item_hangs() -> None:
    assert wrap("- one two three", 9, "  ") == ["- one two", "  three"]


def test_an_indent_is_kept() -> None:
    assert wrap("  one two", 6) == ["  one", "  two"]


def test_a_letter_wider_than_the_screen_is_shown_all_the_same() -> None:
    assert wrap("日本", 1) == ["日", "本"]


def test_an_endless_line_is_left_for_the_terminal_to_break() -> None:
    assert wrap("a b " * 6_000, 80) == [("a b " * 6_000).rstrip()]


def test_without_a_width_nothing_is_wrapped() -> None:
    assert wrap("a " * 200, None) == [("a " * 200).rstrip()]


def test_the_end_stands_at_the_edge() -> None:
    line = ends((("strong", "Bash"),), (("dim", "4 s"),), 12)

    assert plain(line) == "Bash     4 s"


def test_a_long_beginning_gives_way_to_the_end() -> None:
    line = ends((("", "x" * 50),), (("", "4 s"),), 12)

    assert plain(line) == "xxxxxx…  4 s"


def test_in_a_pipe_the_end_follows_at_once() -> None:
    assert plain(ends((("", "Bash"),), (("", "4 s"),), None)) == "Bash  4 s"


def test_without_an_end_the_beginning_is_only_cut() -> None:
    assert plain(ends((("", "abcdef"),), BLANK, 4)) == "abc…"


def test_a_line_is_cut_across_its_spans() -> None:
    line: Line = (("", "ab"), ("dim", "cdef"), ("", "gh"))

    assert fit(line, 4) == (("", "ab"), ("dim", "c…"))
    assert fit(line, None) == line


def test_an_empty_line_is_not_indented() -> None:
    assert [plain(line) for line in indented([(("", "a"),), BLANK], 2)] == ["  a", ""]


def test_the_middle_of_many_is_left_out_and_counted() -> None:
    assert folded(range(10), 2, 1) == ([0, 1], 7, [9])
    assert [plain(line) for line in more(7)] == ["… 7 more lines"]


def test_a_single_line_is_not_replaced_by_a_note_about_it() -> None:
    assert folded(range(4), 2, 1) == ([0, 1, 2, 3], 0, [])
    assert more(0) == []


def test_without_a_tail_the_rest_is_left_out() -> None:
    assert folded(range(10), 3) == ([0, 1, 2], 7, [])
