"""Secrets known by the text around them: key blocks, logins in URLs, bearer tokens."""

import re
from collections.abc import Iterator
from typing import Final

from unspool.redact.rules import SecretRule
from unspool.redact.spans import Runs, SecretSpan, is_random
from unspool.redact.values import LOOK, is_mixed

_LONGEST: Final = 16_384
# A line of a key or one of its headers, with the prefix that a listing or a diff adds.
_CUT: Final = r"[A-Za-z0-9+/=]{1,15}[ \t]{0,4}(?:[\"'`…\r\n\\]|\Z)"  # a key that was cut
_BEFORE: Final = r"(?:[ \t0-9→│|>:+-]|\\{1,64}(?:t|u2192)){0,24}"
# Between two lines that are written as a list of strings.
_NEXT_QUOTED: Final = (
    r"\\{0,64}[\"'`],\s{0,80}\\{0,64}[\"'`]"
    rf"(?={_BEFORE}"
    r"(?:[A-Za-z0-9+/=]{16}|(?:Proc-Type|DEK-Info|Version|Comment): |\\{0,64}[\"'`]))"
)
_KEY_LINE: Final = re.compile(
    rf"{_BEFORE}"
    rf"(?:[A-Za-z0-9+/=]{{16,}}|[A-Za-z-]{{3,20}}: [^\n\\\"]{{1,80}}|(?={_CUT})[A-Za-z0-9+/=]+|)"
    r"[ \t]*"
    rf"(?:\r?\n|(?:\\+r)?\\+n|\Z|{_NEXT_QUOTED}|(?=\\{{0,64}}[\"'`…])"
    rf"|(?<= )(?=[A-Za-z0-9+/=]{{16}}|{_CUT}))"
)
_RUN: Final = re.compile(r"[A-Za-z0-9+/=]{16,}")
_LETTERS: Final = re.compile(r"[A-Za-z0-9+/=]*")
# The line of a key that follows.
_BODY_LINE: Final = re.compile(
    rf"[ \t]*(?:\r?\n|(?:\\+r)?\\+n){_BEFORE}(?:[A-Za-z0-9+/=]{{16,}}|(?={_CUT})[A-Za-z0-9+/=]+)"
)
# The next string of a JSON list; the sign before each line of a diff is kept.
_NEXT_STRING: Final = re.compile(r'"[ \t\r\n]*,[ \t\r\n]*"(?:[+ ]|-(?=-----|[^-]))?')
_MOST_HEADERS: Final = 8
_TO_END: Final = 40
_WORD: Final = re.compile(r"[A-Za-z0-9+/=_.~-]*")
_HOOK_FULL: Final = 24
_LEAST_BEARER: Final = 16
_LOGIN: Final = re.compile(
    r"://([^\s/@:\"'`<>\\]{0,128}):"
    # A port and the line after it are not a broken password.
    r"((?!\d{1,5}\s)[^\s/@\"'`<>\\]++(?:\r?\n[ \t]{0,40}[^\s/@\"'`<>\\]++)?)\Z"
)
# So far from its @ an address may begin: access tokens are used as passwords.
_BACK: Final = 4_096
# A login whose text ends, or was cut, before its @: of schemes that are no names of images.
_CUT_LOGIN: Final = (
    r"[^\s/@:\"'`<>\\]{0,128}:"
    r"(?P<password>[^\s/@\"'`<>\\…]{6,}+)(?=\Z|…|\\{0,64}\")"
)
_SCHEME: Final = re.compile(
    r"(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|https?|s?ftps?|smtps?|ldaps?"
    r"|mssql|sqlserver|clickhouse|nats|mqtts?|imaps?|ssh|git)\Z"
)
_STAND_INS: Final = frozenset({"*", "x", "X", "."})


def _block(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """A private key, from its first line to its last."""
    at = match.start()
    start = at - 5 if runs.text.startswith("-----", at - 5) else at
    yield SecretSpan(start, _key_end(runs, match.end()), "private key")


def _bearer(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    at = match.end()
    end = runs.body_end(at, _WORD, 0)
    if end - at >= _LEAST_BEARER and is_random(runs.text[at : min(end, at + LOOK)]):
        yield SecretSpan(at, end, "credentials")


def _hook(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The last part of a chat webhook's address."""
    at = match.end()
    end = runs.body_end(at, _WORD, _HOOK_FULL)
    if end - at >= _HOOK_FULL - 4:
        yield SecretSpan(at, end, "webhook")


def _login(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The password of scheme://name:password@host."""
    text, at = runs.text, match.start()
    first = max(0, at - _BACK)
    colon = text.rfind(":", first, at)
    if colon < 0 or text.find("/", colon, at) >= 0 or text.find(" ", colon, at) >= 0:
        return
    start = text.rfind("://", first, colon)
    found = _LOGIN.match(text, start, at) if start >= 0 else None
    if found and found[2][0] not in "${<[%(" and not set(found[2]) <= _STAND_INS:
        yield SecretSpan(*found.span(2), "password")


def _cut_login(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    at, password = match.start(), match["password"]
    is_one = password[0] not in "${<[%(" and is_mixed(password)
    if is_one and _SCHEME.search(runs.text, max(0, at - 16), at):
        yield SecretSpan(*match.span("password"), "password")


def _signature(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The signature of a signed URL."""
    yield SecretSpan(runs.text.index("=", match.start()) + 1, match.end(), "signature")


def _key_end(runs: Runs, at: int) -> int:
    """Where a key ends: at its END line, otherwise at the first line that is not part of a key."""
    text = runs.text
    last = text.find("-----END ", at, at + _LONGEST)
    # Two constants of a program have other text between them.
    if last >= 0 and sum(map(len, _RUN.findall(text, at, last))) * 2 >= last - at:
        end = text.find("-----", last + 9, last + 80)
        return end + 5 if end >= 0 else last + 9
    return key_lines_end(runs, at)


def key_lines_end(runs: Runs, at: int) -> int:
    """Where the lines of a key end that start at a position."""
    end, longest = runs.last(at, _KEY_LINE, _next_line), at + _LONGEST
    if end <= longest:
        return end
    # Beyond that, a header is a line of some other text.
    return min(end, runs.last(runs.end(longest, _LETTERS), _BODY_LINE, _next_line))


def _next_line(runs: Runs, at: int, line_of: re.Pattern[str]) -> int:
    line = line_of.match(runs.text, at)
    return line.end() if line else at


def key_strings(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """The strings of a JSON list that continue the key that starts in one of them."""
    waiting: list[SecretSpan] = []
    has_body = bool(_RUN.search(text, start, end))
    is_last = text.find("-----END ", start, end) >= 0
    while not is_last and len(waiting) <= _MOST_HEADERS:
        if not (opened := _NEXT_STRING.match(text, end)):
            return
        start, end = opened.end(), string_end(text, opened.end())
        until, is_last = _key_lines(text, start, end)
        if until < 0:
            return
        if until > start:
            waiting.append(SecretSpan(start, until, "private key", goes_on=True))
        has_run = bool(_RUN.search(text, start, until))
        has_body = has_body or has_run
        # A header or a short last line counts only next to lines of a key.
        if has_run or (is_last and has_body):
            yield from waiting
            waiting.clear()


def _key_lines(text: str, at: int, end: int) -> tuple[int, bool]:
    """How far a string is part of a key, -1 if not all of it is; and whether the key ends there."""
    if text.find("BEGIN ", at, end) >= 0:
        return -1, False
    while at < end and (line := _KEY_LINE.match(text, at, end)) and line.end() > at:
        at = line.end()
    if at == end:
        return end, False
    last = text.find("-----END ", at, min(end, at + _TO_END))
    if last < 0:
        return -1, False
    close = text.find("-----", last + 9, min(end, last + 80))
    return (close + 5 if close >= 0 else end), True


def string_end(text: str, at: int) -> int:
    """Where the JSON string around a position ends."""
    end = text.find('"', at)
    while end >= 0:
        slashes = end
        while slashes and text[slashes - 1] == "\\":
            slashes -= 1
        if (end - slashes) % 2 == 0:
            return end
        end = text.find('"', end + 1)
    return len(text)


RULES: Final = [
    SecretRule("B", r"EGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----", _block),
    SecretRule("B", r"(?:earer|asic)(?:[ \t]+|%20|\+)", _bearer),
    SecretRule("B", r"(?<=/B)[A-Z0-9]{7,12}/(?=[A-Za-z0-9]{8})", _hook),
    SecretRule("k", r"s/(?<=webhooks/)\d{10,20}/(?=[\w-]{60})", _hook),
    # Without a letter of a password before it, as in the head of a hunk, none is looked for.
    SecretRule("@", r"(?<=[^\s/@\"'`<>\\]@)", _login),
    SecretRule("://", _CUT_LOGIN, _cut_login),
    SecretRule("&", r"(?:X-Amz-Signature|Signature|sig)=[A-Za-z0-9%+/=_~-]{20,}+", _signature),
]
