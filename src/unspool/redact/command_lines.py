"""Secrets on command lines: values of options, logins, and what is piped into a prompt."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from unspool.redact.named_values import cookie_in, value_end, value_start
from unspool.redact.names import secret_kind
from unspool.redact.rules import SecretRule
from unspool.redact.spans import Runs, SecretSpan
from unspool.redact.values import LOOK, is_real_value, is_secret, is_varied

# Before a value: spaces, or the next string of a list.
_NEXT: Final = r"(?:[ \t]{1,4}|[\\\"'`]{1,65},\s{0,40}(?=[\\\"'`]))"
_LOGIN: Final = r" ?=? ?[\\\"']{0,65}"
_LONG: Final = (
    r"(?<=--)(?:"
    r"(?:(?:[a-z]{1,20}-){0,4}(?:password|passwd|passphrase|pass|token|secret|key)"
    rf"|requirepass|masterauth){_NEXT}"
    rf"|user{_LOGIN}"
    r"|cookie(?:=|[ \t]{1,4})"
    r"|(?:password-stdin|with-token|stdin|passphrase-fd)(?![\w-]))"
)
_SHORT: Final = (
    r"[pPawbuSskd](?<=[ \t\"'`]-.)(?:"
    rf"(?<=[pPawb])(?:{_NEXT}|(?=[^\s,]))"
    rf"|(?<=u){_LOGIN}"
    r"|(?<=S)(?![\w-])"
    r"|(?:rcstore|rckey|eststore|estkey|tore|ey)pass[ \t]{1,4})"
)
_PAIR: Final = re.compile(r"[A-Za-z0-9_.@+-]{1,64}:(?!\[redacted)")
_PAIR_PASSWORD: Final = re.compile(r"[^\s\"'\\:/]*")
_PAIR_REST: Final = re.compile(r"[^\s\"'\\]*")  # it may have both
# Commands with a short option for a password or a cookie; the group says which.
_COMMANDS: Final = re.compile(
    r"(?:(?<![\w.-])|(?<=\\[nrt]))(?:"
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
    r"[\\\"']{0,65}([^\s\"'`|;&<>\\]{4,4096})(?:\\{1,64}n)?[\\\"']{0,65}[ \t]{0,8}\|[^|\n]{0,120}\Z"
)
_ECHOES: Final = ("echo", "printf")
# So far from a prompt is what is piped into it: a login of a registry has thousands of letters.
_ECHO_BACK: Final = 4_608
_HERE: Final = re.compile(r"[^\n|]{0,80}<<<[ \t]{0,8}[\\\"']{0,65}")
_HERE_WORD: Final = re.compile(r"[^\s\"'`|;&<>\\]*")


def _long(runs: Runs, match: "re.Match[str]") -> Iterable[SecretSpan]:
    """The secret of a long option."""
    name = match[0].rstrip(" \t\r\n\\\"'`,=").lstrip("-")
    word = name.rpartition("-")[2]
    if word == "user":
        return _login(runs, match.end())
    if word == "cookie":
        return cookie_in(runs, match.end())
    if word in ("stdin", "fd") or name == "with-token":
        return _piped(runs, match)
    if word == "key":
        return _value(runs, match.end(), secret_kind(name) if name != "key" else "key")
    return _value(runs, match.end(), word if word in ("token", "secret") else "password")


def _short(runs: Runs, match: "re.Match[str]") -> Iterable[SecretSpan]:
    """The secret of a short option, if the command before it takes one there."""
    text, at, end = runs.text, match.start(), match.end()
    flag = text[at + 1]
    if flag == "u":
        return _login(runs, end)
    if match[0].rstrip().endswith("pass"):
        return _value(runs, end, "password")
    command = _command(text, at)
    if flag == "S" == command:
        return _piped(runs, match)
    if flag == "b" == command:
        return cookie_in(runs, end)
    if flag == command or (flag == "p" and command == "attached" and end == at + 2):
        return _value(runs, end, "password")
    return ()


def _command(text: str, at: int) -> str:
    """The group of the last command before a position, on the same command line."""
    commands = list(_COMMANDS.finditer(text, max(0, at - _BACK), at))
    if not commands or _BREAK.search(text, commands[-1].end(), at):
        return ""
    return commands[-1].lastgroup or ""


def _value(runs: Runs, at: int, kind: str) -> Iterator[SecretSpan]:
    start, quote = value_start(runs.text, at)
    end = value_end(runs, start, quote)
    value = runs.text[start : min(end, start + LOOK)]
    is_name = value.isupper() and value.replace("_", "").isalpha()
    is_path = value[:1] == "/" and not (len(value) >= 20 and is_varied(value))
    if not kind or value[:1] == "-" or is_path or is_name:
        return
    if kind == "key":
        if is_secret(value, kind, is_quoted=True, is_env=False):
            yield SecretSpan(start, end, "secret")
    elif is_real_value(value, kind, least=4 if kind == "password" else 8):
        yield SecretSpan(start, end, kind)


def _login(runs: Runs, at: int) -> Iterator[SecretSpan]:
    """The password of name:password."""
    if name := _PAIR.match(runs.text, at):
        start, end = name.end(), runs.end(name.end(), _PAIR_PASSWORD)
        if end - start >= 4 and not runs.text[start : min(end, start + LOOK)].isdecimal():
            yield SecretSpan(start, runs.end(end, _PAIR_REST), "password")


def _piped(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
    """What is written to the prompt of a command: echo x | sudo -S, sudo -S <<< x."""
    spans = [_echoed(runs.text, match.start())]
    if here := _HERE.match(runs.text, match.end()):
        spans.append((here.end(), runs.end(here.end(), _HERE_WORD)))
    for start, end in spans:
        if is_real_value(runs.text[start : min(end, start + LOOK)], "password", least=4):
            yield SecretSpan(start, end, "password")


def _echoed(text: str, at: int) -> tuple[int, int]:
    """The word that an echo or printf before a position pipes there; (0, 0) if none does."""
    pipe = text.rfind("|", max(0, at - _BACK), at)
    if pipe < 0:
        return 0, 0
    first = max(0, pipe - _ECHO_BACK)
    # The last one: what is echoed has no blank in it.
    command = max(text.rfind(f"{word}{blank}", first, pipe) for word in _ECHOES for blank in " \t")
    echo = _ECHO.match(text, command, at) if command >= 0 else None
    return echo.span(1) if echo else (0, 0)


RULES: Final = [SecretRule("-", _LONG, _long), SecretRule("-", _SHORT, _short)]
