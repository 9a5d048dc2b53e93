"""Bash: the command, how it ended, the first and last lines it printed."""

import re
from typing import Final

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools.values import Fields, block, fields, said, text, without_tags

_EXIT: Final = re.compile(r"\s*(?:Error: )?Exit code (-?\d{1,6})\b[^\n]*\n?")


def summary(input: Fields, result: object) -> str:
    """The command."""
    return safe.brief(text(input, "command", "script", "description", "bash_id", "shell_id"))


def facts(input: Fields, result: object) -> str:
    """How it ended, where that is worth a word."""
    values = fields(result)
    if found := _EXIT.match(said(result)):
        return f"exit {found[1]}"
    if values.get("backgroundTaskId") or input.get("run_in_background") is True:
        return "in background"
    return "interrupted" if values.get("interrupted") is True else ""


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """What it printed; of a failure more, and most of its end."""
    printed = _EXIT.sub("", _printed(result), count=1)
    return block(without_tags(printed), *((3, 8) if failed else (2, 2)))


def _printed(result: object) -> str:
    values = fields(result)
    streams = [text(values, "stdout"), text(values, "stderr")]
    return "\n".join(stream for stream in streams if stream) or said(result)
