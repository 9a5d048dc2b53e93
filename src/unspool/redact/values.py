"""A name and what stands after it -> whether that is a secret, and how far it goes."""

import re
from collections.abc import Iterator
from string import ascii_letters, digits
from typing import Final

from unspool.redact.looks import is_secret, is_told, is_varied
from unspool.redact.spans import Found, Runs

# The end of a name, without its signs -> what its value is.
KINDS: Final = {
    "password": "password",
    "passwd": "password",
    "passphrase": "password",
    "pwd": "password",  # where it is no working directory
    "secret": "secret",
    "token": "token",
    "apikey": "api key",
    "accesskey": "api key",
    "secretkey": "api key",
    "privatekey": "private key",
    "accountkey": "api key",
    "authkey": "api key",
    "signingkey": "api key",
    "encryptionkey": "api key",
    "masterkey": "api key",
    "licensekey": "api key",
    "authorization": "credentials",
    "cookie": "cookie",
}
_KEYS_OF_NO_SECRET: Final = (
    "public", "cache", "primary", "foreign", "sort", "partition", "index", "idempotency",
    "message", "map", "dict", "group", "object", "react", "translation", "host", "known",
)  # fmt: skip
_VARIANT: Final = re.compile(
    r"(?:[_-](?:prod|production|dev|test|live|staging|value|base64|b64)|[_-]?\d{1,3})\Z", re.I
)
_PASS: Final = re.compile(r"(?:\Apass|[_.-](?i:pass))\Z")  # not bypass, not PASS
_SIGNS: Final = re.compile(r"[_.-]")
_QUOTE: Final = re.compile(r"\\{0,64}[\"'`]")
_PLAIN: Final = re.compile(r"[^\s\"'`<>&;,(){}\[\]\\|…]*")
_HEADER: Final = re.compile(r"[^\"'`\n\r\\]*")
_SCHEME: Final = re.compile(
    r"(?:Bearer|Basic|Token|Digest|ApiKey|Negotiate)(?:[ \t]+|%20|\+)", re.IGNORECASE
)
_COOKIE: Final = re.compile(r"[\w.!#$%&*+^`|~-]{1,80}=[^\s;]")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/=_-]*")
_BASE64_LETTERS: Final = ascii_letters + digits + "+/=_-"
_CREDENTIALS: Final = re.compile(r"[A-Za-z0-9+/=_.~:-]*")
_LONGEST: Final = 4_096
_LAST: Final = 512
# So much of a value is looked at: else every name in a long run would cost all of it.
_LOOK: Final = 256


def after(runs: Runs, at: int, name: str, *, is_tight: bool, is_quoted: bool) -> Iterator[Found]:
    """The value at a place, if its name promises a secret and it looks like one."""
    kind = _kind(name)
    start, quote = _opened(runs.text, at)
    # What has a quoted name and no quotes of its own is a number, or a name in a program.
    if not kind or (is_quoted and not quote):
        return
    if kind == "cookie":
        yield from _cookie(runs, start)
    elif kind == "credentials":
        yield from _credentials(runs, start)
    else:
        end = _end(runs, start, quote)
        # PASSWORD: x, too, is how an environment is written.
        is_env = name.isupper() and not quote and (is_tight or kind == "password")
        value = runs.text[start : min(end, start + _LOOK)]
        found = is_secret(value, kind, is_quoted=bool(quote), is_env=is_env)
        if found and not runs.text.startswith("(", end):
            yield Found(start, end, "secret" if kind == "key" else kind)


def flagged(runs: Runs, at: int, word: str) -> Iterator[Found]:
    """The value of an option, which is one word."""
    start, quote = _opened(runs.text, at)
    end = _end(runs, start, quote)
    value = runs.text[start : min(end, start + _LOOK)]
    kind = "password" if word.startswith("pass") else "token" if word == "token" else "secret"
    is_name = value.isupper() and value.replace("_", "").isalpha()
    least = 4 if kind == "password" else 8
    if value[:1] not in "-/" and not is_name and is_told(value, kind, least):
        yield Found(start, end, kind)


def _opened(text: str, at: int) -> tuple[int, str]:
    """Where a value begins, and the quote it is in."""
    quote = _QUOTE.match(text, at)
    return (quote.end(), quote[0]) if quote else (at, "")


def _kind(name: str) -> str:
    """What a name promises; '' where it is none of those."""
    bare = _SIGNS.sub("", _VARIANT.sub("", name)).lower()
    for end, kind in KINDS.items():
        if bare.endswith(end):
            return kind
    if _PASS.search(name):
        return "password"
    is_key = len(bare) > 3 and bare.endswith("key")
    return "key" if is_key and not any(word in bare for word in _KEYS_OF_NO_SECRET) else ""


def _end(runs: Runs, start: int, quote: str) -> int:
    if quote:
        return _closed(runs, start, quote)
    end = runs.end(start, _PLAIN)
    # What is of such letters only may go on in the next line.
    if end - start >= 16 and runs.end(start, _BASE64) == end:
        value = runs.text[start : min(end, start + _LOOK)]
        return runs.body_end(start, _BASE64, 0) if is_varied(value) else end
    return end


def _closed(runs: Runs, start: int, quote: str) -> int:
    """Where a quote is closed: by one with no more escapes than it was opened with."""
    text = runs.text
    at = text.find(quote[-1], start, start + _LONGEST)
    while at >= 0:
        escapes = at
        while escapes > start and text[escapes - 1] == "\\":
            escapes -= 1
        if at - escapes < len(quote):
            return escapes
        at = text.find(quote[-1], at + 1, start + _LONGEST)
    # Somebody cut it short; its first word is all there is.
    return runs.end(start, _PLAIN)


def _credentials(runs: Runs, at: int) -> Iterator[Found]:
    text = runs.text
    scheme = _SCHEME.match(text, at)
    start = scheme.end() if scheme else at
    is_signed = text.startswith("AWS4-", start)
    end = _line_end(runs, start) if is_signed else runs.body_end(start, _CREDENTIALS, 0)
    value = text[start : min(end, start + _LOOK)]
    if (
        len(value) >= 8 - 4 * bool(scheme)
        and value[:1] not in "${<["
        and (is_varied(value) or text[end - 1] == "=")
    ):
        yield Found(start, end, "credentials")


def _cookie(runs: Runs, start: int) -> Iterator[Found]:
    if _COOKIE.match(runs.text, start):
        end = _line_end(runs, start)
        tail = runs.text[max(start, end - _LAST) : end]
        last = len(tail) - len(tail.rstrip(_BASE64_LETTERS))
        yield Found(start, runs.body_end(end - last, _BASE64, 0) if last else end, "cookie")


def _line_end(runs: Runs, start: int) -> int:
    return min(runs.end(start, _HEADER), start + _LONGEST)
