"""A text -> the secrets in it, in order and without overlaps."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Final

from unspool.redact import command_lines, credentials, named_values, tokens
from unspool.redact.rules import RuleSet
from unspool.redact.spans import SecretSpan

_COLOUR: Final = r"(?:\x1b|\\{1,64}(?:u001[bB]|x1[bB]|033|e))\[[0-9;]{0,16}[mK]"
_ANY: Final = re.compile(_COLOUR + r"|%(?:[2-7][0-9A-Fa-f])")
_PERCENT: Final = re.compile(r"%[2-7][0-9A-Fa-f]")
_WRITTEN: Final = re.compile(r"\[(?<=[bB3e]\[)[0-9;]{0,16}[mK]")


class PlainView:
    """A text without colours and percent escapes; `place` maps a position back to the text."""

    def __init__(self, text: str) -> None:
        self._whole = text
        parts: list[str] = []
        self._here, self._there = [0], [0]
        at = length = 0
        for match in _ANY.finditer(text):
            before = text[at : match.start()]
            sign = match[0]
            shown = chr(int(sign[1:], 16)) if sign[0] == "%" else ""
            parts += (before, shown)
            length += len(before)
            if shown:
                self._mark(length, match.start())
            length += len(shown)
            at = match.end()
            self._mark(length, at)
        parts.append(text[at:])
        self.text = "".join(parts)

    def _mark(self, here: int, there: int) -> None:
        if here == self._here[-1]:
            self._there[-1] = there
        else:
            self._here.append(here)
            self._there.append(there)

    def place(self, at: int) -> int:
        """Where a character of the view starts in the text."""
        index = bisect_right(self._here, at) - 1
        return self._there[index] + at - self._here[index]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of the view as a span of the text, without escapes that follow its last letter."""
        last = self.place(end - 1)
        return self.place(start), last + (3 if _PERCENT.match(self._whole, last) else 1)


def has_escapes(text: str) -> bool:
    """Whether a text has colours or percent escapes."""
    if "\x1b" in text or ("%" in text and _PERCENT.search(text)):
        return True
    return "\\" in text and "[" in text and bool(_WRITTEN.search(text))


ALL_RULES: Final = RuleSet(
    (*tokens.RULES, *named_values.RULES, *credentials.RULES, *command_lines.RULES)
)
SpanFilter = Callable[[str, list[SecretSpan]], Iterable[SecretSpan]]
_LEAST: Final = 8


def find_secrets(text: str, cut: SpanFilter | None = None) -> list[SecretSpan]:
    """Every secret; two that overlap become one that covers both.

    `cut` receives the secrets in order and yields the spans to redact, before overlaps are joined.
    """
    if len(text) < _LEAST:
        return []
    spans = ALL_RULES.spans(text)
    if has_escapes(text):
        view = PlainView(text)
        spans |= {
            SecretSpan(*view.span(a, b), kind) for a, b, kind, _ in ALL_RULES.spans(view.text)
        }
    if not spans:
        return []
    ordered = sorted(spans)
    return _without_overlaps(ordered if cut is None else sorted(cut(text, ordered)))


def redact(text: str) -> str:
    """The text without its secrets; the same object if it has none."""
    return replace_spans(text, find_secrets(text))


def placeholder(kind: str) -> str:
    """The text that replaces a secret."""
    return f"[redacted: {kind}]"


def replace_spans(text: str, spans: list[SecretSpan]) -> str:
    """A text with a placeholder for each span."""
    if not spans:
        return text
    parts: list[str] = []
    at = 0
    for one in spans:
        parts += (text[at : one.start], placeholder(one.kind))
        at = one.end
    return "".join((*parts, text[at:]))


def _without_overlaps(spans: list[SecretSpan]) -> list[SecretSpan]:
    apart: list[SecretSpan] = []
    for one in spans:
        if apart and one.start < apart[-1].end:
            first = apart[-1]
            apart[-1] = SecretSpan(first.start, max(first.end, one.end), _more_precise(first, one))
        else:
            apart.append(one)
    return apart


def _more_precise(first: SecretSpan, second: SecretSpan) -> str:
    """The more precise kind: whose token it is, rather than that it is one."""
    vague = ("password", "secret", "token", "api key", "credentials", "private key")
    return second.kind if first.kind in vague and second.kind not in vague else first.kind
