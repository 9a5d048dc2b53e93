"""A name and what stands after it -> whether that is a secret, and how far it goes."""

import re
from collections.abc import Iterator
from typing import Final

from unspool.redact.looks import is_secret, is_told, is_varied
from unspool.redact.spans import Found, body_end, whole_end

# The end of a name, without its signs -> what its value is.
_KINDS: Final = {
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
_PLAIN: Final = re.compile(r"[^\s\"'`<>&;,(){}\[\]\\|…]{0,1024}")
_HEADER: Final = re.compile(r"[^\"'`\n\r\\]{1,4096}")
_SIGNED: Final = re.compile(r"AWS4-[^\"'`\n\r\\]{1,4096}")
_SCHEME: Final = re.compile(
    r"(?:Bearer|Basic|Token|Digest|ApiKey|Negotiate)(?:[ \t]+|%20|\+)", re.IGNORECASE
)
_COOKIE: Final = re.compile(r"[\w.!#$%&*+^`|~-]{1,80}=[^\s;]")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/=_-]{0,1024}")
_CREDENTIALS: Final = re.compile(r"[A-Za-z0-9+/=_.~:-]{0,1024}")
_LAST: Final = re.compile(r"[A-Za-z0-9+/=_-]{1,512}\Z")
_LONGEST: Final = 4_096


def after(text: str, at: int, name: str, *, is_tight: bool, is_quoted: bool) -> Iterator[Found]:
    """The value at a place, if its name promises a secret and it looks like one."""
    kind = _kind(name)
    start, quote = _opened(text, at)
    # What has a quoted name and no quotes of its own is a number, or a name in a program.
    if not kind or (is_quoted and not quote):
        return
    if kind == "cookie":
        yield from _cookie(text, start)
    elif kind == "credentials":
        yield from _credentials(text, start)
    else:
        end = _end(text, start, quote)
        # PASSWORD: x, too, is how an environment is written.
        is_env = name.isupper() and not quote and (is_tight or kind == "password")
        found = is_secret(text[start:end], kind, is_quoted=bool(quote), is_env=is_env)
        if found and not text.startswith("(", end):
            yield Found(start, end, "secret" if kind == "key" else kind)


def flagged(text: str, at: int, word: str) -> Iterator[Found]:
    """The value of an option, which is one word."""
    start, quote = _opened(text, at)
    end = _end(text, start, quote)
    value = text[start:end]
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
    for end, kind in _KINDS.items():
        if bare.endswith(end):
            return kind
    if _PASS.search(name):
        return "password"
    is_key = len(bare) > 3 and bare.endswith("key")
    return "key" if is_key and not any(word in bare for word in _KEYS_OF_NO_SECRET) else ""


def _end(text: str, start: int, quote: str) -> int:
    if not quote:
        end = whole_end(text, start, _PLAIN)
        is_long = end - start >= 16 and is_varied(text[start:end])
        return body_end(text, start, _BASE64, 0) if is_long and _runs(text, start, end) else end
    return _closed(text, start, quote)


def _closed(text: str, start: int, quote: str) -> int:
    """Where a quote is closed: by one with no more escapes than it was opened with."""
    at = text.find(quote[-1], start, start + _LONGEST)
    while at >= 0:
        escapes = at
        while escapes > start and text[escapes - 1] == "\\":
            escapes -= 1
        if at - escapes < len(quote):
            return escapes
        at = text.find(quote[-1], at + 1, start + _LONGEST)
    # Somebody cut it short; its first word is all there is.
    return whole_end(text, start, _PLAIN)


def _runs(text: str, start: int, end: int) -> bool:
    """Whether a value is of letters that may go on in the next line."""
    return bool(_BASE64.fullmatch(text, start, end))


def _credentials(text: str, at: int) -> Iterator[Found]:
    scheme = _SCHEME.match(text, at)
    start = scheme.end() if scheme else at
    signed = _SIGNED.match(text, start)
    end = signed.end() if signed else body_end(text, start, _CREDENTIALS, 0)
    value = text[start:end]
    if (
        len(value) >= 8 - 4 * bool(scheme)
        and value[:1] not in "${<["
        and (is_varied(value) or value.endswith("="))
    ):
        yield Found(start, end, "credentials")


def _cookie(text: str, start: int) -> Iterator[Found]:
    if _COOKIE.match(text, start) and (line := _HEADER.match(text, start)):
        last = _LAST.search(text, max(start, line.end() - 512), line.end())
        end = body_end(text, last.start(), _BASE64, 0) if last else line.end()
        yield Found(start, end, "cookie")
