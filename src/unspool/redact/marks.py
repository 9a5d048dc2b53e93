"""Secrets known by the signs around them: key blocks, logins in addresses, bearers."""

import re
from collections.abc import Iterator
from typing import Final

from unspool.redact.spans import Found, Runs, is_random

_BLOCK: Final = re.compile(r"BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST: Final = 16_384
# A line of a key, with what stands before it in a listing, or one of its headers.
_CUT: Final = r"[A-Za-z0-9+/=]{1,15}[ \t]{0,4}(?:[\"'`…\r\n\\]|\Z)"  # the last of one cut short
_KEY_LINE: Final = re.compile(
    r"[ \t0-9→│|>:-]{0,24}"
    rf"(?:[A-Za-z0-9+/=]{{16,}}|[A-Za-z-]{{3,20}}: [^\n\\]{{1,80}}|(?={_CUT})[A-Za-z0-9+/=]+|)"
    r"[ \t]*"
    rf"(?:\r?\n|(?:\\+r)?\\+n|\Z|(?=[\"'`…])|(?<= )(?=[A-Za-z0-9+/=]{{16}}|{_CUT}))"
)
_RUN: Final = re.compile(r"[A-Za-z0-9+/=]{16,}")
_BEARER: Final = re.compile(r"(?:Bearer|Basic)(?:[ \t]+|%20|\+)")
_WORD: Final = re.compile(r"[A-Za-z0-9+/=_.~-]*")
_HOOK: Final = re.compile(r"/B[A-Z0-9]{7,12}/(?=[A-Za-z0-9]{8})")
_HOOK_FULL: Final = 24
_LOGIN: Final = re.compile(
    r"://([^\s/@:\"'`<>\\]{0,128}):"
    # A port and the line after it are no password that was broken.
    r"((?!\d{1,5}\s)[^\s/@\"'`<>\\]{1,256}(?:\r?\n[ \t]{0,40}[^\s/@\"'`<>\\]{1,256})?)\Z"
)
_BACK: Final = 256
_SIGNED: Final = re.compile(r"&(?:X-Amz-Signature|Signature|sig)=([A-Za-z0-9%+/=_-]{20,200})")
_STAND_INS: Final = frozenset({"*", "x", "X", "."})


def blocks(runs: Runs) -> Iterator[Found]:
    """Private keys from their first line to their last; bearers; hooks of a chat."""
    text = runs.text
    at = text.find("B") if "B" in text else -1
    while at >= 0:
        if text.startswith("BEGIN ", at) and (head := _BLOCK.match(text, at)):
            start = at - 5 if text.startswith("-----", at - 5) else at
            yield Found(start, _key_end(runs, head.end()), "private key")
        elif text.startswith(("Bearer", "Basic"), at) and (word := _BEARER.match(text, at)):
            yield from _bearer(runs, word.end(), least=16)
        elif text[at - 1 : at] == "/" and (hook := _HOOK.match(text, at - 1)):
            yield from _hook(runs, hook.end())
        at = text.find("B", at + 1)


def addresses(text: str) -> Iterator[Found]:
    """The password of scheme://name:password@host, and the signature of a signed address."""
    at = text.find("@") if "@" in text else -1
    while at >= 0:
        colon = text.rfind(":", max(0, at - _BACK), at)
        if colon >= 0 and text.find("/", colon, at) < 0 and text.find(" ", colon, at) < 0:
            yield from _login(text, text.rfind("://", max(0, colon - _BACK), colon), at)
        at = text.find("@", at + 1)
    if "&" in text:
        for match in _SIGNED.finditer(text):
            yield Found(*match.span(1), "signature")


def _hook(runs: Runs, at: int) -> Iterator[Found]:
    end = runs.body_end(at, _WORD, _HOOK_FULL)
    if end - at >= _HOOK_FULL - 4:
        yield Found(at, end, "webhook")


def _login(text: str, start: int, at: int) -> Iterator[Found]:
    found = _LOGIN.match(text, start, at) if start >= 0 else None
    if found and found[2][0] not in "${<[%(" and not set(found[2]) <= _STAND_INS:
        yield Found(*found.span(2), "password")


def _bearer(runs: Runs, at: int, least: int) -> Iterator[Found]:
    end = runs.body_end(at, _WORD, 0)
    if end - at >= least and is_random(runs.text[at : min(end, at + _BACK)]):
        yield Found(at, end, "credentials")


def _key_end(runs: Runs, at: int) -> int:
    """Where a key ends: at its last line, else where lines are no longer of a key."""
    text = runs.text
    last = text.find("-----END ", at, at + _LONGEST)
    # Two constants of a program have other things between them.
    if last >= 0 and sum(map(len, _RUN.findall(text, at, last))) * 2 >= last - at:
        end = text.find("-----", last + 9, last + 80)
        return end + 5 if end >= 0 else last + 9
    return min(runs.last(at, _KEY_LINE, _next_line), at + _LONGEST)


def _next_line(runs: Runs, at: int, line_of: re.Pattern[str]) -> int:
    line = line_of.match(runs.text, at)
    return line.end() if line else at
