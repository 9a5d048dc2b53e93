import re

import pytest

from unspool.redact.spans import Runs, begins, is_random, is_shuffled

RUN = re.compile("[a-z0-9]*")


@pytest.mark.parametrize("before", ["", " ", "=", '"', "é", "漢", "\\n", "\\\\t", "%3D", "[31m"])
def test_a_word_begins_after_a_sign_or_an_escape(before: str) -> None:
    assert begins(f"{before}word", len(before))


@pytest.mark.parametrize("before", ["ta", "_", "n", "\\x"])
def test_no_word_begins_inside_another(before: str) -> None:
    assert not begins(f"{before}word", len(before))


def test_random_is_what_has_letters_and_digits() -> None:
    assert [is_random(piece) for piece in ("a1b2c3d4", "abcdefgh", "12345678", "a1")] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize("gap", ["\n", "\r\n", "\n    ", "\\n", "\\\\n", "\n│ "])
def test_a_run_goes_on_over_the_end_of_a_line_until_it_is_full(gap: str) -> None:
    text = f"ab{gap}cdef"

    assert text[Runs(text).body_end(0, RUN, 4) :] == "ef"


def test_a_full_run_goes_on_only_where_the_next_line_is_random_too() -> None:
    run = re.compile("[a-z0-9]*")
    text = "a1b2c3d4\ne5f6g7h8\nplain words"

    assert text[Runs(text).body_end(0, run, 0) :] == "\nplain words"


def test_the_whole_of_a_run_is_found_a_part_at_a_time() -> None:
    assert Runs("abcdefghij!").end(0, RUN) == 10


def test_a_run_that_stops_short_ends_with_its_line() -> None:
    assert Runs("ab\n!").body_end(0, RUN, 4) == 2


@pytest.mark.parametrize(
    ("piece", "is_one"),
    [
        ("aBcDeFgHijkl", True),
        ("aBcDeFgHijk", False),  # too short
        ("aBcDeFghIJkl", True),
        ("aBcDeFghijkL", True),
        ("aBcDeFghijkl", False),  # three turns
        ("aBcDeFgHijklmnop", True),
        ("aBcDeFgHijklmnopq", False),  # few capitals, as in a name
        ("getUserNameFromTokenStore", False),
        ("aB_cD-eF/gH+iJ=kL", True),
        ("aBcD eFgHijkl", False),
    ],
)
def test_letters_are_shuffled_where_many_are_capitals_that_no_name_has(
    piece: str, is_one: bool
) -> None:
    assert is_shuffled(piece) is is_one


DIGITS = re.compile("[0-9]*")
BACK = "\\"


# Between two parts of a run, and whether it goes on there.
@pytest.mark.parametrize(
    ("gap", "goes_on"),
    [
        (f"{BACK}n", True),
        (f"{BACK * 64}n", True),
        (f"{BACK * 65}n", False),
        (f"{BACK}r{BACK}n", True),
        (f"{BACK * 64}r{BACK * 64}n", True),
        (f"{BACK * 65}r{BACK}n", False),
        (f"{BACK}r{BACK * 65}n", False),
        ("n", False),
        (f"r{BACK}n", False),
        (f"{BACK}rn", False),
        (f"\n{' ' * 40}", True),
        (f"\n{' ' * 41}", False),
    ],
)
def test_a_run_is_broken_by_one_line_end_and_its_indent(gap: str, goes_on: bool) -> None:
    text = f"12{gap}34"

    assert Runs(text).body_end(0, DIGITS, 4) == (len(text) if goes_on else 2)


@pytest.mark.parametrize(
    ("before", "is_start"),
    [
        (f"{BACK}u001b", True),
        (f"{BACK}u001", False),
        (f"{BACK}u001bc", False),
        (f"[{'1' * 12}m", True),
        (f"[{'1' * 13}m", False),
    ],
)
def test_an_escape_has_its_length(before: str, is_start: bool) -> None:
    assert begins(f"{before}word", len(before)) is is_start


@pytest.mark.parametrize(
    ("piece", "is_one"),
    [("a1b2c3d4", True), ("a1b2c3d", False), ("a" * 127 + "1", True), ("a" * 128 + "1", False)],
)
def test_random_is_told_by_eight_letters_at_least_and_by_the_first_ones(
    piece: str, is_one: bool
) -> None:
    assert is_random(piece) is is_one
