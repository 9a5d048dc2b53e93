"""Values -> whether each is the secret its name promises, or stands for one."""

import re
from typing import Final

from unspool.redact.spans import GAP, is_random, is_shuffled

_CHAIN: Final = re.compile(r"[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+\Z")
_PATH: Final = re.compile(r"(?:~|\.{1,2})?/[a-z][\w.-]*/|[A-Za-z]:\\|[a-z]+://|(?:~|\.{1,2})/")
_STAND_IN: Final = re.compile(
    r"(?:enter|process\.env|os\.|env\b|getenv|none\b|null\b|true\b|false\b|undefined\b|nil\b"
    r"|str\b|string\b|bytes\b|int\b|bool\b|optional\b|final\b|required\b|self\b|this\b"
    r"|secret\b|secrets\b|token\b|password\b|passwd\b|x{3,})",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"[${<]|%(?:[({sd]|\w+%\Z)"
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
_PARTS: Final = re.compile(r"[-_.:@]")
_SPACE: Final = re.compile(r"\s")
# Only the start of a value is examined: otherwise every name in a long run would cost all of it.
LOOK: Final = 256


def is_secret(value: str, kind: str, *, is_quoted: bool, is_env: bool) -> bool:
    """Whether a value is the secret its name promises; an environment line needs less proof."""
    if kind == "key":
        return is_real_value(value, kind, least=16) and _is_key(value[:LOOK])
    if kind == "password":
        return is_real_value(value, kind, least=4) and (
            is_quoted or is_env or is_mixed(value) or is_shuffled(value)
        )
    if is_env:
        return is_real_value(value, kind, least=8)
    is_one = is_varied(value) and (is_quoted or not _NUMBERED.match(value))
    return is_one and is_real_value(value, kind, least=8)


def is_real_value(value: str, kind: str, least: int) -> bool:
    """Whether a value is a real one, not a word, a path or code that stands for it."""
    value = value[:LOOK]
    if "\n" in value or "\\" in value:
        value = GAP.sub("", value, count=4)
    if len(value) < least or len(set(value)) < 3 or _SPACE.search(value):
        return False
    if _STAND_IN.match(value) and not is_mixed(value):
        return False
    if _EXAMPLE.match(value) or _TYPE.match(value):
        return False
    if value[0] in "(*&[" and not (len(value) >= 20 and is_random(value)):
        return False
    if value.isdecimal() and kind != "password":
        return False
    return not (_is_chain(value) or _is_path(value))


def _is_key(value: str) -> bool:
    """Whether a part of it is random, and it is no path: not a name, and not where a file is."""
    parts = _PARTS.split(value.removeprefix("base64:"))
    is_path = "/" in value and len(parts) > 1
    return not is_path and any(len(part) >= 12 and is_random(part) for part in parts)


def _is_chain(value: str) -> bool:
    """Whether it is an attribute of something: no attribute's name looks like a key."""
    return bool(_CHAIN.match(value)) and not any(
        len(part) >= 20 and is_random(part) for part in value.split(".")
    )


def _is_path(value: str) -> bool:
    """Whether it is a path: no directory name looks like a key."""
    return bool(_PATH.match(value)) and not any(
        len(part) >= 20 and is_random(part) for part in value.split("/")
    )


def is_mixed(value: str) -> bool:
    """Letters with digits or signs: hunter2, s3cret!, not a name in a program."""
    return (
        len(value) >= 6
        and not value.endswith(":")
        and any(map(str.isalpha, value))
        and any(not one.isalpha() and one not in "_.:-" for one in value)
    )


def is_varied(value: str) -> bool:
    """Whether this is too random to be words."""
    return len(set(value)) > 3 and (is_random(value) or is_shuffled(value))
