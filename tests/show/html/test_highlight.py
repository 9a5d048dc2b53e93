"""Source text: pieces with a few class names, and none of the text lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.show.html.prose import CLASSES, highlight


def test_words_of_a_language_have_their_class() -> None:
    made = highlight('return "x"  # why', "python")

    assert made[0] == ("k", "return")
    assert ("s", '"x"') in made
    assert ("c", "# why") in made


def test_a_file_says_what_its_language_is() -> None:
    assert highlight("def f(): pass", filename="src/app.py")[0] == ("k", "def")


@pytest.mark.parametrize("language", ["", "no-such-language", "<script>"])
def test_an_unknown_language_is_plain(language: str) -> None:
    assert highlight("return 1", language) == (("", "return 1"),)


def test_what_cannot_be_seen_is_shown_by_its_number() -> None:
    assert ("bidi", "U+202E") in highlight("x = 1  # \u202e", "python")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=80))
def test_no_text_is_lost(text: str) -> None:
    made = highlight(text, "python")

    assert "".join(part for _, part in made) == text
    assert {name for name, _ in made} <= {"", *CLASSES}


def test_a_huge_text_is_plain() -> None:
    assert len(highlight("return 1\n" * 20_000, "python")) == 1
