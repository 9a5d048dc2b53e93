import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.redact.views import View, has_signs

pieces = st.lists(st.sampled_from(["a", "bc", "%3D", "%41", "\x1b[31m", "\\u001b[0m", "%", " "]))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\x1b[1;31mb\x1b[0m\x1b[Kc", "abc"),
        ("a\\u001b[31mb", "ab"),
        ("a\\\\x1b[31mb", "ab"),
        ("key%3Dvalue%20x", "key=value x"),
        ("100% of %d", "100% of %d"),
    ],
)
def test_a_reader_sees_through_colours_and_percents(text: str, seen: str) -> None:
    assert View(text).text == seen


@given(pieces)
def test_every_letter_is_found_again(parts: list[str]) -> None:
    text = "".join(parts)
    view = View(text)

    for at, letter in enumerate(view.text):
        start, end = view.span(at, at + 1)
        assert text[start:end] in (letter, f"%{ord(letter):02X}")


@pytest.mark.parametrize("text", ["a\x1b[0m", "a%20b", "\\u001b[0m"])
def test_a_text_with_signs_is_known(text: str) -> None:
    assert has_signs(text)


@pytest.mark.parametrize("text", ["plain", "100 %", "a[0]", "C:\\dir[0]"])
def test_a_text_without_signs_is_known(text: str) -> None:
    assert not has_signs(text)
