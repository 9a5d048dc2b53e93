"""Source text: pieces with a few class names, none of the text lost, and no lexer without end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.hostile_texts import TEXTS
from tests.show.growth import slow
from unspool.show.ansi import Segment
from unspool.show.html.highlight import CLASSES, LANGUAGES, Highlighter


def highlight(text: str, language: str) -> tuple[Segment, ...]:
    return Highlighter().highlight(text, language)


def joined(segments: tuple[Segment, ...]) -> str:
    return "".join(part for _, part in segments)


def test_words_of_a_language_have_their_class() -> None:
    made = highlight('return "x"  # why', "python")

    assert made[0] == ("k", "return")
    assert ("s", '"x"') in made
    assert ("c", "# why") in made


@pytest.mark.parametrize("language", ["Python", "py", "sh", "tsx", "yml", "diff"])
def test_a_language_has_several_names(language: str) -> None:
    assert len(highlight("# a\n+ '1'\n- 2 return", language)) > 1


@pytest.mark.parametrize("language", ["", "no-such-language", "<script>", "logos", "markdown"])
def test_a_language_that_is_not_on_the_list_is_plain(language: str) -> None:
    assert highlight("return 1", language) == (("", "return 1"),)


@pytest.mark.parametrize("language", sorted(set(LANGUAGES.values())))
def test_every_language_on_the_list_has_a_lexer(language: str) -> None:
    assert joined(highlight("a = 'b' # c\n", language)) == "a = 'b' # c\n"


def test_what_cannot_be_seen_is_shown_by_its_number() -> None:
    assert ("bidi", "U+202E") in highlight("x = 1  # \u202e", "python")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=80))
def test_no_text_is_lost(text: str) -> None:
    made = highlight(text, "python")

    assert joined(made) == text
    assert {name for name, _ in made} <= {"", *CLASSES}


def test_a_long_comment_is_one() -> None:
    comment = f"/* {'word ' * 150}*/"

    assert highlight(f"{comment} let", "js")[0] == ("c", comment)


def test_a_huge_text_is_plain() -> None:
    assert len(highlight("return 1\n" * 20_000, "python")) == 1


def test_the_code_of_one_text_has_a_limit_together() -> None:
    highlighter = Highlighter()
    counts = [len(highlighter.highlight("return 1\n" * 1_000, "python")) for _ in range(2)]

    assert counts[0] > 1_000
    assert counts[1] == 1


def test_once_the_steps_are_used_up_the_rest_is_plain() -> None:
    text = "\x7f'a' " * 3_000

    made = highlight(text, "ruby")

    assert "".join(part for name, part in made if name != "bidi") == text.replace("\x7f", "")
    assert [name for name, _ in made[:2]] == ["bidi", "s"]
    assert {name for name, _ in made[-100:]} == {"", "bidi"}


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(set(LANGUAGES.values())))
def test_no_text_takes_longer_in_any_language(language: str) -> None:
    """From 2,000 to 16,000 characters: what is longer is plain, and says nothing of a lexer."""
    assert slow(lambda text: highlight(text, language), size=2_000, most=4_000) == {}


@pytest.mark.parametrize("language", ["python", "c", "diff", "yaml", "javascript"])
def test_text_again_and_again_takes_no_longer(language: str) -> None:
    few = {name: make for number, (name, make) in enumerate(TEXTS.items()) if number % 12 == 0}

    assert slow(lambda text: highlight(text, language), few) == {}
