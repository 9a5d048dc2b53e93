import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from unspool.show.export.markdown_text import (
    escape_html,
    escape_text,
    fenced,
    inline_code,
    safe_url,
)

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
texts = st.text(st.sampled_from("`~*_#-+=.)1 \n\t<>[]()!|&\\ab:/'\""), max_size=60)


def kinds(markdown: str) -> list[str]:
    return [token.type for token in PARSER.parse(markdown)]


@given(texts)
def test_nothing_in_a_fence_ends_it(text: str) -> None:
    assert kinds(f"{fenced(text)}\n\nafter")[0] == "fence"
    assert kinds(f"{fenced(text)}\n\nafter")[1:] == ["paragraph_open", "inline", "paragraph_close"]


@given(texts.filter(str.strip))
def test_words_are_words(text: str) -> None:
    lines = "\n".join(filter(None, (line.strip() for line in text.split("\n"))))
    inline = PARSER.parse(escape_text(lines))[1]

    assert kinds(escape_text(lines)) == ["paragraph_open", "inline", "paragraph_close"]
    assert {token.type for token in inline.children or ()} <= {"text", "softbreak", "text_special"}


@given(texts.filter(str.strip))
def test_code_is_one_piece_of_code(text: str) -> None:
    inline = PARSER.parse(f"x{inline_code(text)}x")[1]

    assert [token.type for token in inline.children or ()] == ["text", "code_inline", "text"]


def test_a_language_is_a_word_or_nothing() -> None:
    assert fenced("x", "python").startswith("```python\n")
    assert fenced("x", "a onload=b").startswith("```\n")


@pytest.mark.parametrize(
    "href", ["javascript:x()", "data:text/html,x", "//evil.test", "http://a b", "x", ""]
)
def test_a_link_that_is_not_of_the_web_leads_nowhere(href: str) -> None:
    assert safe_url(href) == ""


def test_an_address_cannot_end_its_brackets() -> None:
    assert safe_url("http://a.test/(b)>c") == "http://a.test/%28b%29%3Ec"


def test_words_inside_an_element_are_escaped_and_on_one_line() -> None:
    assert escape_html('<b>\n\nx & "y"') == "&lt;b&gt; x &amp; &quot;y&quot;"


def test_what_a_terminal_would_obey_is_shown() -> None:
    assert fenced("\x1b[31mred\x1b[0m \x07 \u202e") == "```\nred ␇ ‹202E›\n```"
