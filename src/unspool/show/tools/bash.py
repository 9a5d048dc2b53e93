"""Bash and PowerShell: the command, its exit status, its output."""

import re
from itertools import takewhile
from typing import Final

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools.details import Detail, DetailBuilder, pairs
from unspool.show.tools.values import Fields, excerpt, fields, result_text, text, without_tags

_NEXT: Final = re.compile(r"&&|\|\|?|;|\n")
_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_COMMENT: Final = re.compile(r"^[ \t]*#.*", re.MULTILINE)
# What only prepares the command that may fail, and what only runs another.
_PREPARE: Final = frozenset(
    "cd export set source . echo true mkdir sleep pushd unset for while until case done fi "
    "esac".split()
)
_WRAPPERS: Final = frozenset(
    "sudo env time timeout nice exec command nohup npx bunx uvx then do if".split()
)
_LONGEST: Final = 4_000
_RUNNERS: Final = frozenset("uv poetry pipenv bundle mise".split())
_FAMILIES: Final = frozenset(
    "git npm pnpm yarn bun deno cargo go docker make gh kubectl pip uv dotnet poetry terraform "
    "brew just systemctl apt nix rustup".split()
)
_EXIT: Final = re.compile(r"\s*(?:Error: )?Exit code (-?\d{1,6})\b[^\n]*\n?")


def summary(input: Fields, result: object) -> str:
    """The command."""
    return safe.brief(text(input, "command", "script", "description", "bash_id", "shell_id"))


def facts(input: Fields, result: object) -> str:
    """How it ended, unless it simply succeeded."""
    values = fields(result)
    if (code := exit_code(result)) is not None:
        return f"exit {code}"
    if values.get("backgroundTaskId") or input.get("run_in_background") is True:
        return "in background"
    return "interrupted" if values.get("interrupted") is True else ""


def exit_code(result: object) -> int | None:
    """What a command that failed exited with, where its result says so."""
    said = _EXIT.match(result_text(result))
    return int(said[1]) if said else None


def program(command: str) -> str:
    """What a command runs, without the way there: "pytest", "git push", "npm run build"."""
    for part in _NEXT.split(_COMMENT.sub("", _QUOTED.sub("''", command[:_LONGEST]))):
        words = _without_wrappers(part.strip("() \t").split())
        if words and words[0] not in _PREPARE and words[0] != "''":
            return safe.brief(" ".join(_named(words)), 60)
    return safe.brief(command, 60)


def _without_wrappers(words: list[str]) -> list[str]:
    """A command without assignments and what only runs another."""
    while words and ("=" in words[0] or words[0] in _WRAPPERS or words[0][0].isdigit()):
        words = words[1:]
    if len(words) > 2 and words[1] == "-m":
        words = words[2:]  # python -m pytest
    if len(words) > 2 and words[0] in _RUNNERS and words[1] in ("run", "exec"):
        words = words[2:]  # uv run pytest
    return words


def _named(words: list[str]) -> list[str]:
    first = words[0].rstrip("/").rpartition("/")[2] or words[0]
    count = 2 if first in _FAMILIES else 1
    if words[1:2] == ["run"]:
        count = 3
    plain = takewhile(lambda word: not word.startswith(("-", "'")), words[1:count])
    return [first, *plain]


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The output; of a failure more of it, above all its end."""
    output = _output(result)
    if said := _EXIT.match(output):
        output = output[said.end() :]
    return excerpt(without_tags(output), *((3, 8) if failed else (2, 2)))


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """A command of several lines in full, then stdout, then stderr."""
    command = text(input, "command", "script")
    script = build.output(command, "command") if "\n" in command.strip() else []
    purpose = pairs([("description", text(input, "description"))])
    values = fields(result)
    out, err = text(values, "stdout"), text(values, "stderr")
    if not out and not err:
        out = without_tags(result_text(result))
    return [*purpose, *script, *build.output(out), *build.output(err, "stderr")]


def _output(result: object) -> str:
    values = fields(result)
    streams = [text(values, "stdout"), text(values, "stderr")]
    return "\n".join(stream for stream in streams if stream) or result_text(result)
