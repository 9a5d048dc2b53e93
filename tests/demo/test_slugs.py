from __future__ import annotations

from unspool.demo.slugs import slug_of


# format 16
def test_everything_but_letters_and_digits_becomes_a_dash() -> None:
    assert slug_of("/home/d.v/my_app v2") == "-home-d-v-my-app-v2"


def test_an_emoji_is_two_units_and_so_two_dashes() -> None:
    assert slug_of("/a🎈b") == "-a--b"


def test_a_path_of_two_hundred_units_stays_whole() -> None:
    assert slug_of("/" + "a" * 199) == "-" + "a" * 199


def test_a_longer_path_is_cut_and_ends_in_its_hash() -> None:
    slug = slug_of("/" + "a" * 200)

    assert slug[:200] == "-" + "a" * 199
    assert slug[200] == "-"
    assert slug[201:].isalnum()


def test_two_long_paths_with_one_beginning_get_two_names() -> None:
    assert slug_of("/" + "a" * 200 + "x") != slug_of("/" + "a" * 200 + "y")


def test_a_hash_of_zero_is_written_as_zero() -> None:
    assert slug_of("\0" * 201).endswith("--0")
