"""Source code of a transcript -> segments with class names: languages we know, up to a limit."""

from collections.abc import Callable, Iterator
from copy import copy
from functools import lru_cache
from typing import Any, Final

from pygments import lexers, token  # type: ignore[import-untyped]

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
# A lexer and the names that a fence may give it. Only those are here whose worst text is known
# to be bearable: of C#, Make, Markdown and OCaml it is not.
_NAMES: Final = {
    "bash": "bash sh shell zsh console shell-session terminal",
    "c": "c h",
    "clojure": "clojure clj",
    "cpp": "cpp c++ cc hpp",
    "css": "css",
    "dart": "dart",
    "diff": "diff patch",
    "docker": "docker dockerfile",
    "elixir": "elixir ex exs",
    "go": "go golang",
    "graphql": "graphql gql",
    "haskell": "haskell hs",
    "html": "html htm",
    "ini": "ini cfg conf dotenv env",
    "java": "java",
    "javascript": "javascript js mjs cjs node",
    "json": "json jsonl ndjson",
    "json5": "json5 jsonc",
    "jsx": "jsx",
    "julia": "julia jl",
    "kotlin": "kotlin kt kts",
    "lua": "lua",
    "nginx": "nginx",
    "perl": "perl pl",
    "php": "php",
    "powershell": "powershell ps1 pwsh",
    "properties": "properties",
    "protobuf": "protobuf proto",
    "python": "python py python3 py3",
    "r": "r",
    "ruby": "ruby rb",
    "rust": "rust rs",
    "scala": "scala",
    "scss": "scss",
    "sql": "sql postgresql postgres mysql sqlite",
    "swift": "swift",
    "terraform": "terraform hcl tf",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "typescript ts mts cts",
    "xml": "xml svg",
    "yaml": "yaml yml",
    "zig": "zig",
}
LANGUAGES: Final = {name: lexer for lexer, names in _NAMES.items() for name in names.split()}
_LONGEST: Final = 16_000
_MOST_STEPS: Final = 200_000
# How far a rule may look: a comment may be long, and what begins with a word or a space is not.
_FAR, _NEAR = 1_000, 200


class _TooMuch(Exception):
    """All steps are used up."""


class Highlighter:
    """Colours the code of one text: all of it together may take a number of steps."""

    def __init__(self) -> None:
        self._room, self._steps = _LONGEST, _MOST_STEPS
        self._limited: dict[str, Any] = {}

    def highlight(self, text: str, language: str) -> tuple[Segment, ...]:
        """The whole text in segments; plain where the language is unknown or a limit is reached."""
        name = LANGUAGES.get(language.lower())
        if name is None or len(text) > self._room:
            return tuple(visible(text))
        self._room -= len(text)
        segments = _joined(self._tokens(self._lexer(name), text))
        return tuple(segment for name, part in segments for segment in visible(part, name))

    def _tokens(self, lexer: Any, text: str) -> Iterator[Segment]:
        end = 0
        try:
            for _, kind, part in lexer.get_tokens_unprocessed(text):
                yield _class(kind), part
                end += len(part)
        except _TooMuch:
            yield "", text[end:]

    def _lexer(self, name: str) -> Any:
        """A lexer whose rules count, made once: a text may have thousands of small fences."""
        if name not in self._limited:
            self._limited[name] = self._with_limits(_lexer(name))
        return self._limited[name]

    def _with_limits(self, lexer: Any) -> Any:
        """The same lexer, whose rules count and look no further than they may."""
        if not hasattr(lexer, "_tokens"):  # a loop over the text, not a set of rules
            return lexer
        limited = copy(lexer)
        limited._tokens = {
            state: [(self._counted(rule), *rest) for rule, *rest in rules]
            for state, rules in lexer._tokens.items()
        }
        return limited

    def _counted(self, rule: Callable[[str, int, int], Any]) -> Callable[..., Any]:
        def match(text: str, at: int, end: int = _LONGEST) -> Any:
            self._steps -= 1
            if self._steps < 0:
                raise _TooMuch
            first = text[at : at + 1]
            reach = _NEAR if first.isalnum() or first.isspace() else _FAR
            return rule(text, at, min(at + reach, end))

        return match


def _joined(segments: Iterator[Segment]) -> Iterator[Segment]:
    name, parts = "", list[str]()
    for other, part in segments:
        if other != name and parts:
            yield name, "".join(parts)
            parts = []
        name = other
        parts.append(part)
    if parts:
        yield name, "".join(parts)


@lru_cache(maxsize=64)
def _lexer(name: str) -> Any:
    return lexers.get_lexer_by_name(name)


@lru_cache(maxsize=256)
def _class(kind: Any) -> str:
    return next((_CLASSES[one] for one in reversed(kind.split()) if one in _CLASSES), "")
