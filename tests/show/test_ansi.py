"""Terminal output: colours become class names, everything else is dropped or made visible."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.show.ansi import ansi, visible


def text(made: str) -> str:
    return "".join(part for _, part in ansi(made))


def test_a_colour_is_a_class_until_it_is_put_back() -> None:
    assert ansi("a\x1b[31mred\x1b[0mb") == (("", "a"), ("a31", "red"), ("", "b"))


def test_styles_add_up_and_are_taken_away_one_by_one() -> None:
    assert ansi("\x1b[1;32mx\x1b[22my") == (("a1 a32", "x"), ("a32", "y"))


def test_a_second_colour_takes_the_place_of_the_first() -> None:
    assert ansi("\x1b[31;94mx\x1b[39my") == (("a34", "x"), ("", "y"))


def test_italics_outlive_a_change_of_colour() -> None:
    assert ansi("\x1b[3;31mx\x1b[39my") == (("a3 a31", "x"), ("a3", "y"))


@pytest.mark.parametrize("colour", ["38;5;1", "48;2;1;7;4", "38:5:1"])
def test_numbers_of_a_colour_are_no_styles(colour: str) -> None:
    assert ansi(f"\x1b[{colour}mx") == (("", "x"),)


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b]8;;http://evil.test\x07",
        "\x1b]0;title\x1b\\",
        "\x1bPq#0\x1b\\",
        "\x9d0;title\x9c",
        "\x1b[2J",
        "\x1b[10;10H",
        "\x9b2K",
        "\x1bc",
        "\x1b(B",
    ],
)
def test_what_is_no_colour_is_dropped(sequence: str) -> None:
    assert ansi(f"a{sequence}b") == (("", "ab"),)


def test_a_title_that_never_ends_takes_no_more_than_its_line() -> None:
    assert text("\x1b]0;title\nkept") == "\nkept"


def test_a_line_that_writes_over_itself_keeps_its_last_state() -> None:
    assert text("10%\r50%\r100%\ndone\r\n") == "100%\ndone\n"


def test_a_mark_that_turns_the_direction_of_reading_is_shown_by_its_number() -> None:
    assert tuple(visible("user\u202enimda")) == (("", "user"), ("bidi", "U+202E"), ("", "nimda"))


def test_half_of_a_pair_is_shown_by_its_number() -> None:
    assert ansi("\ud800") == (("bidi", "U+D800"),)


def test_output_with_too_many_colours_is_plain() -> None:
    made = ansi("\x1b[31ma\x1b[32mb" * 10_001 + "\x00")

    assert made == (("", "ab" * 10_001), ("bidi", "U+0000"))


def test_too_many_characters_that_cannot_be_seen_are_numbers_in_plain_text() -> None:
    assert ansi("\x00a" * 20_001) == (("", "‹U+0000›a" * 20_001),)


def test_a_carriage_return_at_the_end_of_the_text_has_wiped_its_line() -> None:
    assert text("a\r\r\nb\r") == "a\n"


@given(st.text(st.characters() | st.sampled_from("\x1b[]m;38\x9b\r\n"), max_size=60))
def test_nothing_that_a_terminal_obeys_is_left(given_text: str) -> None:
    left = text(given_text)

    assert not set(left) & set("\x1b\x9b\x9d\x07\x08\u202e\u2066")


@given(st.text(max_size=60))
def test_class_names_are_ours_alone(given_text: str) -> None:
    made = ansi(f"\x1b[1;3;4;7;9;31m{given_text}")
    names = {name for classes, _ in made for name in classes.split()}

    assert names <= {"bidi", *(f"a{n}" for n in (1, 2, 3, 4, 7, 9, *range(30, 38)))}
