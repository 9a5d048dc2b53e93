"""Markdown: read as prose, able to do nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.show.webs import HOSTILE, Seen
from unspool.show.html.prose import prose
from unspool.show.markdown import PLAIN_NOTE, markdown_tokens

TAGS = set(
    "p br hr em strong s del code pre blockquote ul ol li a span "
    "h3 h4 h5 h6 table thead tbody tr th td".split()
)


def read(text: str) -> Seen:
    return Seen(str(prose(text)))


def test_markdown_is_read() -> None:
    assert prose("**a** `b`\n\n- c") == (
        "<p><strong>a</strong> <code>b</code></p>\n<ul>\n<li>c</li>\n</ul>\n"
    )


def test_a_heading_stands_below_those_of_the_page() -> None:
    assert prose("# One\n## Two\n#### Four") == "<h3>One</h3>\n<h4>Two</h4>\n<h6>Four</h6>\n"


def test_html_is_text() -> None:
    assert read("<b onclick=x>hi</b> <!-- c -->").text.strip() == "<b onclick=x>hi</b> <!-- c -->"


def test_an_image_is_never_fetched() -> None:
    assert read("![alt](http://evil.test/x.png)").all("img") == []


def test_a_link_out_says_nothing_of_where_it_came_from() -> None:
    assert read("[x](https://a.test/)").all("a") == [
        {"href": "https://a.test/", "rel": "noopener noreferrer"}
    ]


@pytest.mark.parametrize(
    "address", ["javascript:x", "JaVaScRiPt:x", "data:text/html,x", "file:///x", "/api/x", "//e.t/"]
)
def test_only_addresses_of_the_web_and_of_mail_are_links(address: str) -> None:
    assert read(f"[x]({address})").hrefs == []


def test_code_has_class_names_and_no_style() -> None:
    made = read('```python\nreturn "x"\n```')

    assert {"class": "k"} in made.all("span")
    assert all(set(attributes) <= {"class"} for _, attributes in made.elements)


def test_the_name_of_a_language_makes_no_class() -> None:
    assert read('```x" onclick="y\ntext\n```').all("code") == [{}]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_makes_no_element_of_its_own(text: str) -> None:
    made = read(f"{text}\n\n```html\n{text}\n```\n\n| {text} |\n|-|\n| {text} |\n\n> {text}")

    assert {tag for tag, _ in made.elements} <= TAGS
    assert {name for _, found in made.elements for name in found} <= {"href", "rel", "class"}
    assert all(href.startswith(("http://", "https://", "mailto:")) for href in made.hrefs)


@given(st.text(max_size=120))
def test_any_text_gives_only_tags_that_we_know(text: str) -> None:
    assert {tag for tag, _ in read(text).elements} <= TAGS


def test_a_definition_of_a_link_does_not_vanish() -> None:
    assert read("see [a]\n\n[a]: http://evil.test 'b'").text.split() == [
        "see", "[a]", "[a]:", "http://evil.test", "'b'",
    ]  # fmt: skip


def is_plain(text: str) -> bool:
    made = read(text)
    is_told = {"class": "told"} in made.all("p")
    assert is_told == made.text.startswith(PLAIN_NOTE)
    return is_told


def test_deep_nesting_is_shown_as_plain_text_and_says_so() -> None:
    assert is_plain(">" * 5_000 + " deep")
    assert "> deep" in read(">" * 5_000 + " deep").text


@pytest.mark.parametrize("text", ["- a\n" * 20_000, "a\n\n" * 60_000, f"{'*a* ' * 2_000}\n\n" * 20])
def test_nothing_of_a_text_that_is_too_much_is_lost(text: str) -> None:
    assert is_plain(text)
    assert read(text).text.removeprefix(PLAIN_NOTE).strip() == text.strip()


def test_a_table_has_a_limit_of_cells() -> None:
    head = f"|{'a|' * 300}\n|{'-|' * 300}\n"

    assert not is_plain(head + "|\n" * 10)
    assert is_plain(head + "|\n" * 100)


def test_a_long_paragraph_is_plain_between_others() -> None:
    made = read(f"*a*\n\n{'*b* ' * 3_000}\n\n*c*")

    assert len(made.all("em")) == 2
    assert made.text.count("*b*") == 3_000


def test_a_long_document_is_read() -> None:
    part = "# Title\n\nSome *words* and `code`, as in [a](http://b.test).\n\n- one\n- two\n\n"

    assert not is_plain(part * 600)


def test_no_text_is_no_html() -> None:
    assert prose("") == ""


def test_a_text_is_taken_apart_up_to_a_length() -> None:
    assert markdown_tokens("a" * 200_000)
    assert markdown_tokens("a" * 200_001) == []
