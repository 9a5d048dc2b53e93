"""A text -> the secrets in it, in order, none inside another."""

from collections.abc import Callable, Iterable
from typing import Final

from unspool.redact.marks import addresses, blocks
from unspool.redact.names import named, options
from unspool.redact.spans import Found, Runs
from unspool.redact.tokens import tokens
from unspool.redact.views import View, has_signs

Cut = Callable[[str, list[Found]], Iterable[Found]]
_LEAST: Final = 8


def find(text: str, cut: Cut | None = None) -> list[Found]:
    """Every secret; of two that overlap the one that begins first, and all of both.

    `cut` makes of them, in order, what is to be covered, before those that overlap are joined.
    """
    if len(text) < _LEAST:
        return []
    found = _found(text)
    if has_signs(text):
        view = View(text)
        found |= {Found(*view.span(one.start, one.end), one.kind) for one in _found(view.text)}
    if not found:
        return []
    ordered = sorted(found)
    return _apart(ordered if cut is None else sorted(cut(text, ordered)))


def redact(text: str) -> str:
    """The text without its secrets; the very same where it has none."""
    return covered(text, find(text))


def mark(kind: str) -> str:
    """What stands where a secret was."""
    return f"[redacted: {kind}]"


def covered(text: str, found: list[Found]) -> str:
    """A text with a mark in each of the places found."""
    if not found:
        return text
    parts: list[str] = []
    at = 0
    for one in found:
        parts += (text[at : one.start], mark(one.kind))
        at = one.end
    return "".join((*parts, text[at:]))


def _found(text: str) -> set[Found]:
    runs = Runs(text)
    return {*tokens(runs), *named(runs), *blocks(runs), *addresses(text), *options(runs)}


def _apart(found: list[Found]) -> list[Found]:
    made: list[Found] = []
    for one in found:
        if made and one.start < made[-1].end:
            first = made[-1]
            made[-1] = Found(first.start, max(first.end, one.end), _better(first, one))
        else:
            made.append(one)
    return made


def _better(first: Found, second: Found) -> str:
    """The kind that says more: whose token it is, rather than that it is one."""
    vague = ("password", "secret", "token", "api key", "credentials", "private key")
    return second.kind if first.kind in vague and second.kind not in vague else first.kind
