"""Secrets on command lines: values of options, logins, and what is piped into a prompt."""

import re
from collections.abc import Iterator
from typing import Final

from unspool.redact.named_values import cookie_in, value_end, value_start
from unspool.redact.names import secret_kind
from unspool.redact.rules import Rule
from unspool.redact.spans import Runs, SecretSpan
from unspool.redact.values import LOOK, is_real_value, is_secret

# Before a value: spaces, or the next string of a list.
_NEXT: Final = r"(?:[ \t]{1,4}|[\\\"'`]{1,65},\s{0,40}(?=[\\\"'`]))"
_LONG: Final = (
    r"(?<=--)(?:(?:[a-z]{1,20}-){0,4}(?:password|passwd|passphrase|pass|token|secret|key)"
    rf"|requirepass|masterauth){_NEXT}"
)
_LOGIN: Final = r"(?:(?<=--)user|(?<= -)u) ?=? ?[\\\"']{0,65}"
_COOKIE: Final = r"(?<=--)cookie(?:=|[ \t]{1,4})"
_PROMPT: Final = r"(?<=--)(?:password-stdin|with-token|stdin|passphrase-fd)(?![\w-])"
_SHORT: Final = rf"(?<=[ \t\"'`]-)(?:[pPawb](?:{_NEXT}|(?=[^\s,]))|S(?![\w-]))"
_KEYTOOL: Final = r"(?<= -)(?:src|dest)?(?:store|key)pass[ \t]{1,4}"
_PAIR: Final = re.compile(r"([A-Za-z0-9_.@+-]{1,64}):(?!\[redacted)([^\s\"'\\:/]{4,128})")
# Commands with a short option for a password or a cookie; the group says which.
_COMMANDS: Final = re.compile(
    r"(?<![\w.-])(?:"
    # Attached only: with a space, these ask for it.
    r"(?P<attached>mysql(?:dump|admin|import|show|check|slap|sh)?|mariadb(?:-\w{1,8})?|7z[ar]?)"
    r"|(?P<p>sshpass|(?:docker|podman|buildah|skopeo|nerdctl|oras|oc|az|cf|helm\W{1,8}registry)"
    r"\W{1,8}login|mongo(?:sh|dump|restore|export|import)?|cqlsh|rabbitmqadmin)"
    r"|(?P<a>(?:redis|valkey|keydb)-(?:cli|benchmark))"
    r"|(?P<w>ldap(?:search|add|modify|delete|passwd|whoami)|kadmin)"
    r"|(?P<P>sqlcmd|bcp|isql|tsql|zip|unzip|mosquitto_(?:pub|sub)|ipmitool)"
    r"|(?P<b>curl)|(?P<S>sudo))(?![\w-])"
)
# Another command begins here: at a line's end that nothing continues, or after one of these.
_BREAK: Final = re.compile(r"(?<![\\,])\n|[;|]|&&|(?<!\\)\\{1,2}n")
_BACK: Final = 256
_ECHO: Final = re.compile(
    r"(?:echo|printf)[ \t]{1,8}(?:-[a-zA-Z]{1,3}[ \t]{1,8})?"
    r"(?:[\\\"']{0,65}%s(?:\\{1,64}n)?[\\\"']{0,65}[ \t]{1,8})?"
    r"[\\\"']{0,65}([^\s\"'`|;&<>\\]{4,128})(?:\\{1,64}n)?[\\\"']{0,65}[ \t]{0,8}\|[^|\n]{0,120}\Z"
)
_HERE: Final = re.compile(r"[^\n|]{0,80}<<<[ \t]{0,8}[\\\"']{0,65}([^\s\"'`|;&<>\\]{4,128})")


def _option(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The value of an option, which is one word."""
    name = match[0].rstrip(" \t\r\n\\\"'`,").lstrip("-")
    word = name.rpartition("-")[2]
    if word == "key":
        yield from _value(runs, match.end(), secret_kind(name) if name != "key" else "key")
    else:
        kind = word if word in ("token", "secret") else "password"
        yield from _value(runs, match.end(), kind)


def _short(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The value of a short option, if the command before it takes a secret there."""
    text, at, end = runs.text, match.start(), match.end()
    flag, command = text[at + 1], _command(text, at)
    if flag == "S" == command:
        yield from _piped(runs, match)
    elif flag == "b" == command:
        yield from cookie_in(runs, end)
    elif flag == command or (flag == "p" and command == "attached" and end == at + 2):
        yield from _value(runs, end, "password")


def _command(text: str, at: int) -> str:
    """The group of the last command before a position, on the same command line."""
    commands = list(_COMMANDS.finditer(text, max(0, at - _BACK), at))
    if not commands or _BREAK.search(text, commands[-1].end(), at):
        return ""
    return commands[-1].lastgroup or ""


def _password(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    yield from _value(runs, match.end(), "password")


def _value(runs: Runs, at: int, kind: str) -> Iterator[SecretSpan]:
    start, quote = value_start(runs.text, at)
    end = value_end(runs, start, quote)
    value = runs.text[start : min(end, start + LOOK)]
    is_name = value.isupper() and value.replace("_", "").isalpha()
    if not kind or value[:1] in "-/" or is_name:
        return
    if kind == "key":
        if is_secret(value, kind, is_quoted=True, is_env=False):
            yield SecretSpan(start, end, "secret")
    elif is_real_value(value, kind, least=4 if kind == "password" else 8):
        yield SecretSpan(start, end, kind)


def _login(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """The password of -u name:password."""
    if (pair := _PAIR.match(runs.text, match.end())) and not pair[2].isdecimal():
        yield SecretSpan(*pair.span(2), "password")


def _cookie(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    yield from cookie_in(runs, match.end())


def _piped(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """What is written to the prompt of a command: echo x | sudo -S, sudo -S <<< x."""
    text, at = runs.text, match.start()
    echo = _ECHO.search(text, max(0, at - _BACK), at)
    for found in (echo, _HERE.match(text, match.end())):
        if found and is_real_value(found[1], "password", least=4):
            yield SecretSpan(*found.span(1), "password")


RULES: Final = [
    Rule("-", _LONG, _option),
    Rule("-", _LOGIN, _login),
    Rule("-", _COOKIE, _cookie),
    Rule("-", _PROMPT, _piped),
    Rule("-", _SHORT, _short),
    Rule("-", _KEYTOOL, _password),
]
