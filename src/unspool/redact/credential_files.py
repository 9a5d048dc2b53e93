"""Secrets known by the file format around them: registry logins, netrc, pgpass, web keys, PuTTY."""

import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Final

from unspool.redact.credentials import key_lines_end
from unspool.redact.rules import SecretRule
from unspool.redact.spans import Runs, SecretSpan
from unspool.redact.values import LOOK, is_mixed, is_real_value

_SPACE: Final = r"(?:\s|\\{1,64}[nrt]){1,16}"
_QUOTES: Final = r"[\\\"'`]{0,66}"
_BASE64: Final = re.compile(r"[A-Za-z0-9+/=_-]*")
_LONGEST_LOGIN: Final = 2_048
# What a line of .netrc has before its password. The name of a host has a dot.
_NETRC: Final = re.compile(
    rf"(machine{_SPACE}(?:localhost|[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,8}}){_SPACE})?"
    rf"(?:(?:login|account){_SPACE}[^\s\\]{{1,128}}{_SPACE}){{0,2}}"
    r"|(nmcli )[^\n|;]{0,200}"
)
_WORD: Final = re.compile(r"[^\s\"'`\\]*")
# The first field of .pgpass, whose second is a port that PostgreSQL and its poolers use.
_PGPASS_HOST: Final = re.compile(r"(?:\*|localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})\Z")
_PGPASS: Final = (
    r"[256*](?:(?<=5)4\d\d|(?<=6)432|(?<=6)543|(?<=2)6257|(?<=\*)):"
    r"(?:\*|[A-Za-z_][\w-]{0,62}):(?:\*|[A-Za-z_][\w.@-]{0,62}):"
)
_BACK: Final = 512
_LEAST_LINES: Final = 16
_OBJECT: Final = 16_384
_PRIVATE_PART: Final = re.compile(
    rf"[\\\"']{{1,66}}(?:d|p|q|dp|dq|qi|k){_QUOTES}\s{{0,8}}:\s{{0,8}}[\\\"']{{1,66}}"
    r"(?=[A-Za-z0-9_-]{16})"
)
_URL_LETTERS: Final = re.compile(r"[A-Za-z0-9_-]*")


def _registry(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The base64 of a name and a password, as Docker and npm write it."""
    at = match.end()
    end = runs.end(at, _BASE64)
    if _is_login(runs.text[at : min(end, at + _LONGEST_LOGIN)]):
        yield SecretSpan(at, end, "credentials")


def _is_login(encoded: str) -> bool:
    try:
        login = b64decode(encoded + "=" * (-len(encoded) % 4), validate=True).decode()
    except ValueError:
        return False
    name, colon, password = login.partition(":")
    return bool(name and colon and password) and login.isprintable()


def _netrc(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The password of machine x login y password z."""
    text, at = runs.text, match.start()
    for word in ("machine", "login", "nmcli"):
        first = text.rfind(word, max(0, at - _BACK), at)
        before = _NETRC.fullmatch(text, first, at) if first >= 0 else None
        found = _password(runs, match.end()) if before else None
        if before and found:
            # A sentence may have both words, too.
            if (
                before[1]
                or before[2]
                or is_mixed(text[found.start : min(found.end, found.start + LOOK)])
            ):
                yield found
            return


def _password(runs: Runs, at: int) -> SecretSpan | None:
    """The word at a position, if it is a password."""
    end = runs.end(at, _WORD)
    if is_real_value(runs.text[at : min(end, at + LOOK)], "password", least=4):
        return SecretSpan(at, end, "password")
    return None


def _directive(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The password of a line of redis.conf, or of a statement."""
    if found := _password(runs, match.end()):
        yield found


def _pgpass(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The last field of host:port:database:user:password."""
    found, at = _password(runs, match.end()), match.start()
    if found and _PGPASS_HOST.search(runs.text, max(0, at - 256), at):
        yield found


def _web_key(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The private parts of a JSON Web Key, around its `kty`."""
    text, at = runs.text, match.start()
    if at < runs.object_end:  # of the same object, which is read
        return
    first = max(runs.object_end, at - _OBJECT)
    start = max(first, text.rfind("{", first, at))
    end = text.find("}", at, at + _OBJECT)
    runs.object_end = end = end if end >= 0 else at + _OBJECT
    for part in _PRIVATE_PART.finditer(text, start, end):
        yield SecretSpan(part.end(), runs.end(part.end(), _URL_LETTERS), "private key")


def _putty(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The private lines of a PuTTY key."""
    end = key_lines_end(runs, match.end())
    if end > match.end() + _LEAST_LINES:
        yield SecretSpan(match.start(), end, "private key")


# In JSON, plain or in strings inside strings; and in .npmrc.
_LOGIN_VALUE: Final = rf"[ \t]{{0,8}}{_QUOTES}(?=[A-Za-z0-9+/]{{8}})"
# In JSON, and in JSON inside of up to four strings, each of which escapes what it holds.
_AUTH: Final = (
    r"(?<=[\"']:)(?:"
    + "|".join(rf"(?<=auth\\{{{count}}}[\"']:)" for count in (0, 1, 3, 7, 15))
    + ")"
)
_WITH: Final = r"(?: (?:WITH|with) \w{1,40})?"
_STRING: Final = r"(?:PASSWORD )?\\{0,64}[\"']"
RULES: Final = [
    SecretRule(":", _PGPASS, _pgpass),
    SecretRule(":", _AUTH + _LOGIN_VALUE, _registry),
    SecretRule("_", rf"auth{_QUOTES}[ \t]{{0,8}}[:=]{_LOGIN_VALUE}", _registry),
    SecretRule("p", r"assword[ \t]{1,8}(?=[^\s=:])", _netrc),
    SecretRule("requirepass", r"[ \t]{1,8}" + _QUOTES, _directive),
    SecretRule("masterauth", r"[ \t]{1,8}" + _QUOTES, _directive),
    SecretRule("IDENTIFIED", rf"{_WITH} BY {_STRING}", _directive),
    SecretRule("identified", rf"{_WITH} by {_STRING}", _directive),
    SecretRule("k", r"ty[\\\"']{1,66}\s{0,8}:", _web_key),
    SecretRule("P", r"rivate-Lines: \d{1,3}", _putty),
]
