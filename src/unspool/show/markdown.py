"""Markdown of a transcript -> tokens; nothing where it would take too long."""

from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

PLAIN_NOTE: Final = "Shown as plain text: too long or too deeply nested to format."
_LONGEST: Final = 200_000
_LONGEST_PARAGRAPH: Final = 10_000
_DEEPEST: Final = 24
# Ordinary text of that length takes about 15,000 steps and gives as many tokens.
_MOST_STEPS: Final = 25_000
_MOST_TOKENS: Final = 20_000


class _TooMuch(Exception):
    """The text has more in it than may be taken apart."""


def markdown_tokens(text: str) -> list[Token]:
    """The tokens of a text; none where it is too long, too deep or too intricate."""
    if len(text) > _LONGEST:
        return []
    try:
        return PARSER.parse(text, {"steps": 0})
    except (_TooMuch, RecursionError, ValueError):
        return []


def _count_block(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Called for every line that may begin a block, in every block it may stand in."""
    _count(state.env)
    if state.level > _DEEPEST or len(state.tokens) > _MOST_TOKENS:
        raise _TooMuch
    return False


def _count_inline(state: StateInline, silent: bool) -> bool:
    """Called for every place where something may begin."""
    _count(state.env)
    return False


def _count(env: Any) -> None:
    env["steps"] += 1
    if env["steps"] > _MOST_STEPS:
        raise _TooMuch


def _inline(state: StateCore) -> None:
    """Take paragraphs apart; very long ones stay as they are."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        if len(token.content) > _LONGEST_PARAGRAPH:
            token.children = [Token("text", "", 0, content=token.content)]
        else:
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _parser() -> MarkdownIt:
    # Past `maxNesting` blocks would be dropped: our own limit has to come before it.
    options = {"html": False, "linkify": False, "maxNesting": _DEEPEST + 3}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    # A definition of a link would vanish from the text.
    parser.disable(["image", "html_block", "html_inline", "reference"])
    inside = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("table", "count", _count_block, {"alt": inside})
    parser.inline.ruler.before("text", "count", _count_inline)
    parser.core.ruler.at("inline", _inline)
    return parser


PARSER: Final = _parser()
