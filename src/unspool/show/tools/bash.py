"""Bash and PowerShell: the command, its exit status, its output."""

import re
from typing import Final

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools.details import Detail, DetailBuilder, pairs
from unspool.show.tools.values import Fields, excerpt, fields, result_text, text, without_tags

_EXIT: Final = re.compile(r"\s*(?:Error: )?Exit code (-?\d{1,6})\b[^\n]*\n?")


def summary(input: Fields, result: object) -> str:
    """The command."""
    return safe.brief(text(input, "command", "script", "description", "bash_id", "shell_id"))


def facts(input: Fields, result: object) -> str:
    """How it ended, unless it simply succeeded."""
    values = fields(result)
    if exit_code := _EXIT.match(result_text(result)):
        return f"exit {exit_code[1]}"
    if values.get("backgroundTaskId") or input.get("run_in_background") is True:
        return "in background"
    return "interrupted" if values.get("interrupted") is True else ""


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The output; of a failure more of it, above all its end."""
    output = _output(result)
    if exit_code := _EXIT.match(output):
        output = output[exit_code.end() :]
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
