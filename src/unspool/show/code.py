"""Source text -> segments with class names, by Pygments; the stylesheet gives them colour."""

from functools import lru_cache
from typing import Any, Final

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
_LONGEST: Final = 100_000  # some lexers are slow, and nobody reads on


def code(text: str, language: str = "", filename: str = "") -> tuple[Segment, ...]:
    """Segments in order, all of the text; plain where the language is not known."""
    lexer = _lexer(language[:40], filename[-200:]) if len(text) <= _LONGEST else None
    if lexer is None:
        return tuple(visible(text))
    segments: list[Segment] = []
    for _, kind, part in lexer.get_tokens_unprocessed(text):
        name = _class(kind)
        if segments and segments[-1][0] == name:
            segments[-1] = name, segments[-1][1] + part
        else:
            segments.append((name, part))
    return tuple(seen for name, part in segments for seen in visible(part, name))


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
