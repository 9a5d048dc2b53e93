"""Names that promise a secret, and the values beside them."""

import re
from collections.abc import Iterator
from itertools import pairwise
from string import ascii_letters, digits
from typing import Final

from unspool.redact.spans import GAP, Runs, SecretSpan, is_random

_CHAIN: Final = re.compile(r"[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+\Z")
_PATH: Final = re.compile(r"(?:~|\.{1,2})?/[a-z][\w.-]*/|[A-Za-z]:\\|[a-z]+://|(?:~|\.{1,2})/")
_STAND_IN: Final = re.compile(
    r"(?:enter|process\.env|os\.|env\b|getenv|none\b|null\b|true\b|false\b|undefined\b|nil\b"
    r"|str\b|string\b|bytes\b|int\b|bool\b|optional\b|final\b|required\b|self\b|this\b"
    r"|secret\b|secrets\b|token\b|password\b|passwd\b|x{3,})",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"[${<(*&\[]|%(?:[({sd]|\w+%\Z)"
    r"|(?:your|example|changeme|change_me|placeholder|dummy|insert|replace|redacted)",
    re.IGNORECASE,
)
# Types and encodings that have a number in their name; any other word with digits is a password.
_TYPE: Final = re.compile(
    r"(?:(?:big)?u?int|float|complex|bool|char|[bcfiu])(?:8|16|24|32|48|64|80|96|128|160|256|512)"
    r"(?:_t|(?:clamped)?array)?\Z"
    r"|bytes(?:[1-9]|[12]\d|3[0-2])\Z|(?:datetime|timedelta)64\Z"
    r"|utf-?(?:8|16|32)(?:mb[34])?\Z|base(?:32|58|62|64)\Z|md5\Z|sha(?:1|224|256|384|512)\Z",
    re.IGNORECASE,
)
# Numbered identifiers: response2, token123.
_NUMBERED: Final = re.compile(r"[A-Z]?[a-z]{1,8}\d{1,3}\Z")
_SPACE: Final = re.compile(r"\s")
# Only the start of a value is examined: otherwise every name in a long run would cost all of it.
_LOOK: Final = 256
_NO_SIGNS: Final = str.maketrans("", "", "+/=-")


def is_secret(value: str, kind: str, *, is_quoted: bool, is_env: bool) -> bool:
    """Whether a value is the secret its name promises; an environment line needs less proof."""
    if kind == "key":
        return len(value) >= 16 and is_random(value) and is_real_value(value, kind, least=16)
    if kind == "password":
        return is_real_value(value, kind, least=4) and (is_quoted or is_env or _is_mixed(value))
    if is_env:
        return is_real_value(value, kind, least=8)
    if is_quoted:
        is_one = is_random(value) or _is_shuffled(value)
    else:
        is_one = is_random(value) and not _NUMBERED.match(value)
    return is_one and is_real_value(value, kind, least=8)


def is_real_value(value: str, kind: str, least: int) -> bool:
    """Whether a value is a real one, not a word, a path or code that stands for it."""
    value = value[:_LOOK]
    if "\n" in value or "\\" in value:
        value = GAP.sub("", value, count=4)
    if len(value) < least or len(set(value)) < 3 or _SPACE.search(value):
        return False
    if _STAND_IN.match(value) and not _is_mixed(value):
        return False
    if _EXAMPLE.match(value) or _TYPE.match(value):
        return False
    if value.isdecimal() and kind != "password":
        return False
    return not (_CHAIN.match(value) or _is_path(value))


def _is_path(value: str) -> bool:
    """Whether it is a path: no directory name looks like a key."""
    return bool(_PATH.match(value)) and not any(
        len(part) >= 20 and is_random(part) for part in value.split("/")
    )


def _is_mixed(value: str) -> bool:
    """Letters with digits or signs: hunter2, s3cret!, not a name in a program."""
    return (
        len(value) >= 6
        and not value.endswith(":")
        and any(map(str.isalpha, value))
        and any(not one.isalpha() and one not in "_.:-" for one in value)
    )


def _is_shuffled(value: str) -> bool:
    """Letters only, but not a word of any language: the case changes again and again."""
    letters = value[:_LOOK].translate(_NO_SIGNS)
    turns = sum(a.islower() and b.isupper() for a, b in pairwise(letters))
    return len(letters) >= 16 and letters.isalnum() and turns >= 4


def is_varied(value: str) -> bool:
    """Whether this is too random to be words."""
    return len(set(value)) > 3 and (is_random(value) or _is_shuffled(value))


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
    kind = _kind(name)
    start, quote = _value_start(runs.text, at)
    # An unquoted value of a quoted name is a number, or an identifier.
    if not kind or (is_quoted and not quote):
        return
    if kind == "cookie":
        yield from _cookie(runs, start)
    elif kind == "credentials":
        yield from _credentials(runs, start)
    else:
        end = _value_end(runs, start, quote)
        # Environments are also written as PASSWORD: x.
        is_env = name.isupper() and not quote and (is_tight or kind == "password")
        value = runs.text[start : min(end, start + _LOOK)]
        found = is_secret(value, kind, is_quoted=bool(quote), is_env=is_env)
        if found and not runs.text.startswith("(", end):
            yield SecretSpan(start, end, "secret" if kind == "key" else kind)


def option_value(runs: Runs, at: int, word: str) -> Iterator[SecretSpan]:
    """The value of an option, which is one word."""
    start, quote = _value_start(runs.text, at)
    end = _value_end(runs, start, quote)
    value = runs.text[start : min(end, start + _LOOK)]
    kind = "password" if word.startswith("pass") else "token" if word == "token" else "secret"
    is_name = value.isupper() and value.replace("_", "").isalpha()
    least = 4 if kind == "password" else 8
    if value[:1] not in "-/" and not is_name and is_real_value(value, kind, least):
        yield SecretSpan(start, end, kind)


def _value_start(text: str, at: int) -> tuple[int, str]:
    """Where a value begins, and the quote it is in."""
    quote = _QUOTE.match(text, at)
    return (quote.end(), quote[0]) if quote else (at, "")


def _kind(name: str) -> str:
    """The kind of secret a name promises; '' if none."""
    bare = _SIGNS.sub("", _VARIANT.sub("", name)).lower()
    for end, kind in KINDS.items():
        if bare.endswith(end):
            return kind
    if _PASS.search(name):
        return "password"
    is_key = len(bare) > 3 and bare.endswith("key")
    return "key" if is_key and not any(word in bare for word in _KEYS_OF_NO_SECRET) else ""


def _value_end(runs: Runs, start: int, quote: str) -> int:
    if quote:
        return _quote_end(runs, start, quote)
    end = runs.end(start, _PLAIN)
    # A value of only these characters may continue on the next line.
    if end - start >= 16 and runs.end(start, _BASE64) == end:
        value = runs.text[start : min(end, start + _LOOK)]
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
    value = text[start : min(end, start + _LOOK)]
    if (
        len(value) >= 8 - 4 * bool(scheme)
        and value[:1] not in "${<["
        and (is_varied(value) or text[end - 1] == "=")
    ):
        yield SecretSpan(start, end, "credentials")


def _cookie(runs: Runs, start: int) -> Iterator[SecretSpan]:
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
# Each pattern begins with the rarest letter of its word, so most text is skipped quickly.
_GATES: Final = {
    "k": re.compile(r"k(?<=[A-Za-z_-]k)(?:e[yn]|ie)" + _TO_VALUE),  # key, token, cookie
    "K": re.compile(r"K(?:E[YN]|IE|ey)" + _TO_VALUE),
    "w": re.compile(r"w(?<=[sp]w)(?:or)?d" + _TO_VALUE),  # password, passwd, pwd
    "W": re.compile(r"W(?:OR)?D" + _TO_VALUE),
    "ass": re.compile(r"ass(?<=[pP]ass)(?:[pP]hrase|(?<=pass)(?<![A-Za-z]pass))" + _TO_VALUE),
    "S": re.compile(r"S(?<=PAS)S(?:PHRASE|(?<=_PASS))" + _TO_VALUE),
    "ecret": re.compile(r"ecret" + _TO_VALUE),
    "C": re.compile(r"C(?<=SEC)RET" + _TO_VALUE),
    "z": re.compile(r"z(?<=oriz)ation" + _TO_VALUE),  # authorization
}
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,80}\Z")
_ESCAPED: Final = re.compile(r"\\+[nrt]\Z")
_NAME_END: Final = re.compile(r"[A-Za-z0-9_-]*")
_OPTION: Final = re.compile(
    r"-(?:(?<=--)(?:[a-z]{1,20}-){0,4}(password|passwd|passphrase|pass|token|secret|key)"
    r"(?:[ \t]{1,4}|[\\\"']{1,65},[ \t]{0,4}(?=[\\\"']))"
    r"|(?:(?<= -)u|(?<=--)user|(?<=sshpass -)(p)) ?=? ?[\\\"']{0,65})"
)
_PAIR: Final = re.compile(r"([A-Za-z0-9_.@+-]{1,64}):(?!\[redacted)([^\s\"'\\:/]{4,128})")


def named_secrets(runs: Runs) -> Iterator[SecretSpan]:
    """Values of names such as password, api_key and Authorization, in any notation."""
    text = runs.text
    for needle, gate in _GATES.items():
        if needle in text:
            last = 0
            for match in gate.finditer(text):
                # A name inside a secret adds nothing, unless its value continues on the next line.
                if match.end() >= last or GAP.match(text, last):
                    for one in _value_beside(runs, match):
                        last = one.end
                        yield one


def option_secrets(runs: Runs) -> Iterator[SecretSpan]:
    """Values of options on a command line: --password x, -u name:password."""
    text = runs.text
    if "-" not in text:
        return
    for match in _OPTION.finditer(text):
        word = match[1] or (match[2] and "password")
        if word:
            yield from option_value(runs, match.end(), word)
        elif (pair := _PAIR.match(text, match.end())) and not pair[2].isdecimal():
            yield SecretSpan(*pair.span(2), "password")


def _value_beside(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The value after the name that ends at a match."""
    text, at = runs.text, match.start()
    end = runs.end(at, _NAME_END)
    begun = _NAME.search(text, max(0, at - 80), end)
    name = begun[0] if begun else ""
    if begun and _ESCAPED.search(text, max(0, begun.start() - 9), begun.start() + 1):
        name = name[1:]  # the n of a \n
    is_tight, is_quoted = text[match.end() - 1] == "=", text[end : end + 1] in ("\\", '"', "'")
    yield from value_after_name(runs, match.end(), name, is_tight=is_tight, is_quoted=is_quoted)
