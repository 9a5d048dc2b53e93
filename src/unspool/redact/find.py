"""A text -> the secrets in it, in order, none inside another."""

from collections.abc import Callable, Iterator
from typing import Final

from unspool.redact.marks import addresses, blocks
from unspool.redact.names import named, options
from unspool.redact.spans import Found, Runs
from unspool.redact.tokens import tokens
from unspool.redact.views import View, has_signs

_LEAST: Final = 8


def find(text: str, ends: Callable[[str, Found], int] | None = None) -> list[Found]:
    """Every secret; of two that overlap the one that begins first, and all of both.

    `ends` says where one must end: each by itself, before those that overlap are joined.
    """
    if len(text) < _LEAST:
        return []
    found = _found(text)
    if has_signs(text):
        view = View(text)
        found |= {Found(*view.span(one.start, one.end), one.kind) for one in _found(view.text)}
    if ends is not None:
        found = {Found(one.start, ends(text, one), one.kind) for one in found}
    return _apart(sorted(found))


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
