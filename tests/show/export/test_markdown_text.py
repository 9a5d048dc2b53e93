import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.browser.payloads import PAYLOADS
from unspool.show.export.markdown_text import rewrite_markdown

# As a stranger's reader is set up: HTML and pictures work.
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
RICH = """# Head

A *b* **c** ~~d~~ `e` [f](https://a.test/g) and
another line\\
broken

> quoted
> - list

1. one
2. two

   more

- [ ] x

| a | b |
|---|---|
| 1 | `2` |

```py
print("```")
```

---
"""


def html(text: str) -> str:
    return str(READER.render(text))


def acts(markdown: str) -> list[str]:
    """Whatever in a text is more than words."""
    found = []
    for block in READER.parse(markdown):
        for token in (block, *(block.children or ())):
            if token.type in ("html_block", "html_inline", "image"):
                found.append(token.type)
            href = str(token.attrGet("href") or "")
            if token.type == "link_open" and not href.startswith(("http:", "https:", "mailto:")):
                found.append(href)
    return found


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_hostile_text_is_words(payload: str) -> None:
    assert acts(rewrite_markdown(payload)) == []


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_follows_a_hostile_text_is_not_drawn_into_it(payload: str) -> None:
    last = READER.parse(f"{rewrite_markdown(payload)}\n\n## You")[-3:]

    assert [token.type for token in last] == ["heading_open", "inline", "heading_close"]
    assert last[0].tag == "h2"


def test_what_was_meant_is_kept() -> None:
    meant = html(RICH).replace("h1>", "h5>")

    assert html(rewrite_markdown(RICH)) == meant


def test_what_is_written_again_stays_the_same() -> None:
    once = rewrite_markdown(RICH)

    assert rewrite_markdown(once) == once


@given(st.text(st.sampled_from("`~*_#-+=.)1 \n<>[]()!|&\\ab"), max_size=80))
def test_no_text_has_a_heading_as_large_as_ours(text: str) -> None:
    tags = {
        token.tag for token in READER.parse(rewrite_markdown(text)) if token.type == "heading_open"
    }

    assert tags <= {"h5"}
    assert acts(rewrite_markdown(text)) == []


@pytest.mark.parametrize("text", ["> " * 200 + "x", "- " * 200 + "x", "[" * 5_000, "*a " * 5_000])
def test_what_is_nested_too_deep_is_shown_as_it_is(text: str) -> None:
    assert (
        "x" in rewrite_markdown(text)
        or "a" in rewrite_markdown(text)
        or "[" in rewrite_markdown(text)
    )
    assert len(rewrite_markdown(text)) < 3 * len(text) + 100


def test_nothing_said_is_nothing() -> None:
    assert rewrite_markdown(" \n ") == ""
