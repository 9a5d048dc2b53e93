"""Markdown and source code of a transcript -> safe HTML."""

import re
from functools import lru_cache
from html import escape
from typing import Any, Final

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup
from pygments import lexers, token, util  # type: ignore[import-untyped]

from unspool.show.ansi import Segment, visible

# Enough to tell things apart; a colour for everything tells nothing.
_CLASSES: Final = {
    token.Token.Comment: "c",
    token.Token.Keyword: "k",
    token.Token.Literal.String: "s",
    token.Token.Literal.Number: "m",
    token.Token.Name.Function: "nf",
    token.Token.Name.Class: "nf",
    token.Token.Name.Tag: "nf",
    token.Token.Name.Decorator: "nd",
    token.Token.Name.Builtin: "nb",
    token.Token.Generic.Deleted: "gd",
    token.Token.Generic.Inserted: "gi",
}
CLASSES: Final = frozenset(_CLASSES.values())
_LONGEST_CODE: Final = 100_000  # some lexers are slow, and nobody reads on


def highlight(text: str, language: str = "", filename: str = "") -> tuple[Segment, ...]:
    """The whole text in segments; plain if the language is unknown."""
    lexer = _lexer(language[:40], filename[-200:]) if len(text) <= _LONGEST_CODE else None
    if lexer is None:
        return tuple(visible(text))
    segments: list[Segment] = []
    for _, kind, part in lexer.get_tokens_unprocessed(text):
        name = _class(kind)
        if segments and segments[-1][0] == name:
            segments[-1] = name, segments[-1][1] + part
        else:
            segments.append((name, part))
    return tuple(segment for name, part in segments for segment in visible(part, name))


@lru_cache(maxsize=64)
def _lexer(language: str, filename: str) -> Any:
    try:
        if language:
            return lexers.get_lexer_by_name(language)
        return lexers.get_lexer_for_filename(filename) if filename else None
    except util.ClassNotFound:
        return None


@lru_cache(maxsize=256)
def _class(kind: Any) -> str:
    return next((_CLASSES[one] for one in reversed(kind.split()) if one in _CLASSES), "")


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
    """Clean HTML; very long text is cut."""
    return _prose(text[:_LONGEST]) if text else Markup("")


@lru_cache(maxsize=4096)
def _prose(text: str) -> Markup:
    source = "".join(part if name != "bidi" else f"‹{part}›" for name, part in visible(text))
    try:
        html = _PARSER.render(source)
    except (RecursionError, ValueError):
        html = f"<p>{escape(source)}</p>"
    # The page has its own h1 and h2: headings of a text come below them.
    lowered = _HEADING.sub(lambda tag: f"{tag[1]}h{min(int(tag[2]) + 2, 6)}>", html)
    return Markup(_CLEANER.clean(lowered))  # noqa: S704 - the one place: it was cleaned here


def _highlighted(text: str, language: str, _attributes: str) -> str:
    pieces = highlight(text, language)
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
