"""Parsers of the commands -> docs/unspool.1, the man page that the wheel installs."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from unspool import __version__
from unspool.cli.command_tree import Argument, Command, commands

PAGE = Path("docs/unspool.1")
VARIABLES = (
    ("UNSPOOL_HOME", "where unspool keeps its own files (default: your data directory)"),
    ("CLAUDE_CONFIG_DIR, CLAUDE_ROOT", "directories to read, separated by commas"),
    ("XDG_DATA_HOME, XDG_CONFIG_HOME", "where your data directory is, and where units belong"),
    ("PAGER, LESS", "the pager of show (default: less -FRX)"),
    ("NO_COLOR, FORCE_COLOR", "no colour; colour in a pipe too"),
    ("COLUMNS", "the width of the terminal"),
    ("BROWSER", "the browser that unspool opens"),
)
_FILES = (
    ("UNSPOOL_HOME/unspool.toml", "settings: alerts, notices, names of projects"),
    ("UNSPOOL_HOME/index.db", "the index; it can be rebuilt"),
    ("UNSPOOL_HOME/raw.db", "the archive of every line; it cannot"),
    ("~/.claude", "what Claude Code writes; it is only read"),
)
_CODES = (("0", "done"), ("1", "failed"), ("2", "wrong usage"), ("3", "not found"))


def page(every: Iterable[Command]) -> str:
    """The whole page."""
    return "".join(f"{line}\n" for line in _lines(list(every)))


def _lines(every: list[Command]) -> Iterator[str]:
    yield '.\\" Written by tools/man_page.py from the definitions of the commands; do not edit.'
    yield f'.TH UNSPOOL 1 "" "unspool {__version__}" "User Commands"'
    yield from (".SH NAME", r"unspool \- read, price and watch the sessions of Claude Code")
    yield from (".SH SYNOPSIS", ".B unspool", r"[\fICOMMAND\fR] [\fIOPTION\fR ...]")
    yield ".SH DESCRIPTION"
    yield _text(
        "unspool reads the transcripts that Claude Code leaves on disk. "
        "Without a command it serves them as web pages, as unspool serve does, "
        "and opens the browser. It only reads them; its index and its archive are its own files."
    )
    yield ".SH COMMANDS"
    for one in every:
        yield from _command(one)
    for head, pairs in (("ENVIRONMENT", VARIABLES), ("FILES", _FILES), ("EXIT STATUS", _CODES)):
        yield f".SH {head}"
        for name, meaning in pairs:
            yield from (".TP", rf"\fB{_text(name)}\fR", _text(meaning))


def _command(command: Command) -> Iterator[str]:
    places = (place_name(one) for one in command.places)
    yield f".SS {_text(' '.join(['unspool', command.name, *places]))}"
    yield _text(command.summary)
    for argument in (*command.places, *command.options):
        yield from (".TP", _head(argument), _text(meaning(argument)))


def place_name(place: Argument) -> str:
    """The name of a place; in brackets if it may be left out."""
    name = f"{place.name}..." if place.is_repeatable else place.name
    return f"[{name}]" if place.is_optional else name


def _head(argument: Argument) -> str:
    """The flags of an option, and its value; or the name of a place."""
    flags = ", ".join(rf"\fB{_text(flag)}\fR" for flag in argument.flags)
    value = "" if argument.kind == "flag" else rf"\fI{_text(argument.name)}\fR"
    return " ".join(filter(None, (flags, value)))


def meaning(argument: Argument) -> str:
    """The help of an argument, and what it can be."""
    # What it can be is in some helps already.
    is_said = all(word in argument.help for word in argument.words)
    words = "" if is_said else f"one of {', '.join(argument.words)}"
    return "; ".join(filter(None, (argument.help, words)))


def _text(text: str) -> str:
    """Text without what roff would take for a request or an escape."""
    plain = text.replace("\\", r"\e").replace("-", r"\-").replace("…", "...")
    plain = plain.replace("`", r"\(ga").replace("'", r"\(aq")
    return rf"\&{plain}" if plain.startswith(".") else plain


def main(root: Path) -> int:
    """Write the page."""
    (root / PAGE).write_text(page(commands()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent.parent))
