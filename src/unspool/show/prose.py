"""Markdown of a transcript -> HTML that can do nothing: no HTML of its own, no images, few tags."""

import re
from functools import lru_cache
from html import escape
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from unspool.show.ansi import visible
from unspool.show.code import CLASSES, code

_TAGS: Final = set(
    "p br hr em strong s del code pre blockquote ul ol li a span "
    "h3 h4 h5 h6 table thead tbody tr th td".split()
)
_CLEANER: Final = nh3.Cleaner(
    tags=_TAGS,
    attributes={"a": {"href"}, "ol": {"start"}},
    allowed_classes={"span": set(CLASSES) | {"bidi"}},
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer",
    url_relative="deny",
    clean_content_tags=set(),
)
_LONGEST: Final = 200_000
_HEADING: Final = re.compile(r"(</?)h([1-4])>")


def prose(text: str) -> Markup:
    """Clean HTML; text beyond what anybody reads is shown as it is, without Markdown."""
    return _prose(text[:_LONGEST]) if text else Markup("")


@lru_cache(maxsize=4096)
def _prose(text: str) -> Markup:
    seen = "".join(part if name != "bidi" else f"‹{part}›" for name, part in visible(text))
    try:
        made = _PARSER.render(seen)
    except (RecursionError, ValueError):
        made = f"<p>{escape(seen)}</p>"
    # The page has its own h1 and h2: what is quoted in it stands below them.
    lowered = _HEADING.sub(lambda tag: f"{tag[1]}h{min(int(tag[2]) + 2, 6)}>", made)
    return Markup(_CLEANER.clean(lowered))  # noqa: S704 - the one place: it was cleaned here


def _highlighted(text: str, language: str, _attributes: str) -> str:
    pieces = code(text, language)
    return "".join(
        f'<span class="{name}">{escape(part)}</span>' if name else escape(part)
        for name, part in pieces
    )


def _parser() -> MarkdownIt:
    # Past its own limit of nesting it would drop text; past Python's we show it as it is.
    options = {"html": False, "linkify": False, "highlight": _highlighted, "maxNesting": 10_000}
    parser = MarkdownIt("commonmark", options)
    return parser.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])


_PARSER: Final = _parser()
