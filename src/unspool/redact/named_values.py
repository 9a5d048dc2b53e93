"""Names that promise a secret, and the values beside them."""

import re
from collections.abc import Iterator
from string import ascii_letters, digits
from typing import Final

from unspool.redact.rules import Rule
from unspool.redact.spans import GAP, Runs, SecretSpan
from unspool.redact.values import LOOK, is_secret, is_varied

# The end of a name, without punctuation -> the kind of its value.
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
_COOKIE_TAIL: Final = 512


def value_after_name(
    runs: Runs, at: int, name: str, *, is_tight: bool, is_quoted: bool
) -> Iterator[SecretSpan]:
    """The value at a position, if its name promises a secret and it looks like one."""
    kind = secret_kind(name)
    start, quote = value_start(runs.text, at)
    # An unquoted value of a quoted name is a number, or an identifier.
    if not kind or (is_quoted and not quote):
        return
    if kind == "cookie":
        yield from cookie(runs, start)
    elif kind == "credentials":
        yield from _credentials(runs, start)
    else:
        end = value_end(runs, start, quote)
        # Environments are also written as PASSWORD: x.
        is_env = name.isupper() and not quote and (is_tight or kind == "password")
        value = runs.text[start : min(end, start + LOOK)]
        found = is_secret(value, kind, is_quoted=bool(quote), is_env=is_env)
        if found and not runs.text.startswith("(", end):
            yield SecretSpan(start, end, "secret" if kind == "key" else kind)


def value_start(text: str, at: int) -> tuple[int, str]:
    """Where a value begins, and the quote it is in."""
    quote = _QUOTE.match(text, at)
    return (quote.end(), quote[0]) if quote else (at, "")


def secret_kind(name: str) -> str:
    """The kind of secret a name promises; '' if none."""
    bare = _SIGNS.sub("", _VARIANT.sub("", name)).lower()
    for end, kind in KINDS.items():
        if bare.endswith(end):
            return kind
    if _PASS.search(name):
        return "password"
    is_key = len(bare) > 3 and bare.endswith("key")
    return "key" if is_key and not any(word in bare for word in _KEYS_OF_NO_SECRET) else ""


def value_end(runs: Runs, start: int, quote: str) -> int:
    """Where a value ends: with its quotes, or with its word."""
    if quote:
        return _quote_end(runs, start, quote)
    end = runs.end(start, _PLAIN)
    # A value of only these characters may continue on the next line.
    if end - start >= 16 and runs.end(start, _BASE64) == end:
        value = runs.text[start : min(end, start + LOOK)]
        return runs.body_end(start, _BASE64, 0) if is_varied(value) else end
    return end


def _quote_end(runs: Runs, start: int, quote: str) -> int:
    """Where a quoted value ends: at a quote with no more escapes than the opening one."""
    text = runs.text
    at = text.find(quote[-1], start, start + _LONGEST)
    while at >= 0:
        escapes = at
        while escapes > start and text[escapes - 1] == "\\":
            escapes -= 1
        if at - escapes < len(quote):
            return escapes
        at = text.find(quote[-1], at + 1, start + _LONGEST)
    # It was cut off: its first word is all there is.
    return runs.end(start, _PLAIN)


def _credentials(runs: Runs, at: int) -> Iterator[SecretSpan]:
    text = runs.text
    scheme = _SCHEME.match(text, at)
    start = scheme.end() if scheme else at
    is_signed = text.startswith("AWS4-", start)
    end = _line_end(runs, start) if is_signed else runs.body_end(start, _CREDENTIALS, 0)
    value = text[start : min(end, start + LOOK)]
    if (
        len(value) >= 8 - 4 * bool(scheme)
        and value[:1] not in "${<["
        and (is_varied(value) or text[end - 1] == "=")
    ):
        yield SecretSpan(start, end, "credentials")


def cookie(runs: Runs, start: int) -> Iterator[SecretSpan]:
    """The cookies of a header, to the end of its line."""
    if _COOKIE.match(runs.text, start):
        end = _line_end(runs, start)
        tail = runs.text[max(start, end - _COOKIE_TAIL) : end]
        last = len(tail) - len(tail.rstrip(_BASE64_LETTERS))
        yield SecretSpan(start, runs.body_end(end - last, _BASE64, 0) if last else end, "cookie")


def _line_end(runs: Runs, start: int) -> int:
    return min(runs.end(start, _HEADER), start + _LONGEST)


# What may follow a name, then the separator before its value, with quotes and escapes between.
_TO_VALUE: Final = (
    r"(?:[_-][A-Za-z0-9]{1,10}|\d{1,3})?"
    r"[\\\"'`\]]{0,66}[ \t]{0,8}(?::=|=>|[=:]|%3[AaDd]|is )[ \t]{0,8}(?![\s${<(\[])"
)
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,80}\Z")
_ESCAPED: Final = re.compile(r"\\+[nrt]\Z")
_NAME_END: Final = re.compile(r"[A-Za-z0-9_-]*")


def _value_beside(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The value after the name that ends at a match."""
    text, at, last = runs.text, match.start(), runs.value
    # A name inside a secret adds nothing, unless its value continues on the next line.
    if last.start <= match.end() < last.end and not GAP.match(text, last.end):
        return
    end = runs.end(at, _NAME_END)
    begun = _NAME.search(text, max(0, at - 80), end)
    name = begun[0] if begun else ""
    if begun and _ESCAPED.search(text, max(0, begun.start() - 9), begun.start() + 1):
        name = name[1:]  # the n of a \n
    is_tight, is_quoted = text[match.end() - 1] == "=", text[end : end + 1] in ("\\", '"', "'")
    for one in value_after_name(runs, match.end(), name, is_tight=is_tight, is_quoted=is_quoted):
        runs.value = one
        yield one


# Each begins with the rarest letter of its word. A literal next, look-behinds last: that fails
# soonest.
_WORDS: Final = {
    "k": r"(?:ey(?<=[A-Za-z_-]key)|en(?<=[A-Za-z_-]ken)|ie(?<=[A-Za-z_-]kie))",
    "K": r"(?:EY|EN|IE|ey)",
    "p": r"(?:ass(?:w(?:or)?d|[pP]hrase|(?<![A-Za-z]pass))|wd|hrase(?<=Passphrase))",
    "P": r"(?:ASS(?:W(?:OR)?D|PHRASE|(?<=_PASS))|ass[wW](?:or)?d|WD|wd|hrase(?<=PassPhrase))",
    "ecret": "",
    "C": r"RET(?<=SECRET)",
    "z": r"ation(?<=orization)",
}
RULES: Final = [Rule(sign, rest + _TO_VALUE, _value_beside) for sign, rest in _WORDS.items()]
