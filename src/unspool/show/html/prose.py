"""Markdown of a transcript -> safe HTML."""

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Final

import nh3
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from unspool.show.ansi import numbered
from unspool.show.html.highlight import CLASSES, Highlighter
from unspool.show.markdown import PARSER, PLAIN_NOTE, markdown_tokens

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
# A code block with a button beside it that copies it, as parts/gutter.html has them.
_BLOCK: Final = '<div class="block"><pre>'
_COPY: Final = (
    '</pre><button class="act" type="button" data-copies aria-label="Copy this code" '
    'title="Copy this code"><svg class="i" aria-hidden="true"><use href="#i-copy"/></svg></button>'
    "</div>"
)
_HEADING: Final = re.compile(r"(</?)h([1-4])>")
_PLAIN: Final = Markup('<p class="cutline">{}</p>\n<p class="told">{}</p>\n')


class _Renderer(RendererHTML):
    """Renders one text."""

    def __init__(self) -> None:
        super().__init__()
        self._highlighter = Highlighter()

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A code block in colour."""
        token = tokens[idx]
        language = token.info.strip().partition(" ")[0]
        parts = (
            f'<span class="{name}">{escape(part)}</span>' if name else escape(part)
            for name, part in self._highlighter.highlight(token.content, language)
        )
        return f"<pre><code>{''.join(parts)}</code></pre>\n"


@lru_cache(maxsize=4096)
def prose(text: str) -> Markup:
    """Clean HTML; plain text where the Markdown is too much."""
    source = numbered(text)
    tokens = markdown_tokens(source)
    if not tokens and source.strip():
        return _PLAIN.format(PLAIN_NOTE, source)
    html = _Renderer().render(tokens, PARSER.options, {})
    # The page has its own h1 and h2: headings of a text come below them.
    lowered = _HEADING.sub(lambda tag: f"{tag[1]}h{min(int(tag[2]) + 2, 6)}>", html)
    return Markup(_CLEANER.clean(lowered))  # noqa: S704 - the one place: it was cleaned here


def copyable_prose(text: str) -> Markup:
    """The same with a button beside each code block."""
    # In clean HTML this is a tag and never text, which has its brackets escaped.
    html = str(prose(text)).replace("<pre>", _BLOCK).replace("</pre>", _COPY)
    return Markup(html)  # noqa: S704 - clean HTML, and constants
