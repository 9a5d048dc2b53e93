"""Secrets on command lines: values of options, and logins."""

import re
from collections.abc import Iterator
from typing import Final

from unspool.redact.named_values import value_end, value_start
from unspool.redact.rules import Rule
from unspool.redact.spans import Runs, SecretSpan
from unspool.redact.values import LOOK, is_real_value

_LONG: Final = (
    r"(?<=--)(?:[a-z]{1,20}-){0,4}(?:password|passwd|passphrase|pass|token|secret|key)"
    r"(?:[ \t]{1,4}|[\\\"']{1,65},[ \t]{0,4}(?=[\\\"']))"
)
_LOGIN: Final = r"(?:(?<= -)u|(?<=--)user) ?=? ?[\\\"']{0,65}"
_PAIR: Final = re.compile(r"([A-Za-z0-9_.@+-]{1,64}):(?!\[redacted)([^\s\"'\\:/]{4,128})")


def _option(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The value of an option, which is one word."""
    word = match[0].rstrip(" \t\\\"',").rpartition("-")[2]
    kind = "password" if word.startswith("pass") else "token" if word == "token" else "secret"
    yield from _value(runs, match.end(), kind)


def _password(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    yield from _value(runs, match.end(), "password")


def _value(runs: Runs, at: int, kind: str) -> Iterator[SecretSpan]:
    start, quote = value_start(runs.text, at)
    end = value_end(runs, start, quote)
    value = runs.text[start : min(end, start + LOOK)]
    is_name = value.isupper() and value.replace("_", "").isalpha()
    least = 4 if kind == "password" else 8
    if value[:1] not in "-/" and not is_name and is_real_value(value, kind, least):
        yield SecretSpan(start, end, kind)


def _login(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The password of -u name:password."""
    if (pair := _PAIR.match(runs.text, match.end())) and not pair[2].isdecimal():
        yield SecretSpan(*pair.span(2), "password")


RULES: Final = [
    Rule("-", _LONG, _option),
    Rule("-", _LOGIN, _login),
    Rule("-", r"(?<=sshpass -)p ?=? ?[\\\"']{0,65}", _password),
]
