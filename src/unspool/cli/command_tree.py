"""Argparse parsers -> a description of every command: for completion scripts and the man page."""

from argparse import SUPPRESS, Action, ArgumentParser
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from unspool.cli import COMMANDS

Kind: TypeAlias = Literal["flag", "word", "file", "directory", "session", "text"]

# A word of some commands has arguments of its own.
_BELOW: Final = {"cost": ("cost", "explain_parser"), "index": ("daemon", "make_parser")}
_KINDS: Final[dict[str, Kind]] = {"FILE": "file", "DIR": "directory", "SESSION": "session"}


class Argument(Struct, frozen=True, kw_only=True):
    """An option, or without flags a word at its place."""

    flags: tuple[str, ...] = ()
    name: str  # of its value
    help: str
    kind: Kind
    words: tuple[str, ...] = ()  # all it can be
    is_optional: bool = True
    is_repeatable: bool = False


class Command(Struct, frozen=True, kw_only=True):
    """A command, or a word of one that has its own arguments."""

    name: str  # "cost explain"
    summary: str
    options: tuple[Argument, ...]
    places: tuple[Argument, ...]


def commands() -> list[Command]:
    """Every command, in the order of the help; each module is loaded for it."""
    return [_command(parser) for name in COMMANDS for parser in _parsers(name)]


def _parsers(name: str) -> Iterator[ArgumentParser]:
    yield import_module(f"unspool.cli.{name}").make_parser()
    if name in _BELOW:
        module, maker = _BELOW[name]
        yield getattr(import_module(f"unspool.cli.{module}"), maker)()


def _command(parser: ArgumentParser) -> Command:
    found = [_argument(action) for action in parser._actions if action.help is not SUPPRESS]
    return Command(
        name=parser.prog.removeprefix("unspool "),
        summary=parser.description or "",
        options=tuple(one for one in found if one.flags),
        places=tuple(one for one in found if not one.flags),
    )


def _argument(action: Action) -> Argument:
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    choices: Iterable[object] = action.choices or getattr(action.type, "words", None) or ()
    words = tuple(map(str, choices))
    kind: Kind = "word" if words else _KINDS.get(name, "text")
    return Argument(
        flags=tuple(action.option_strings),
        name=name,
        help=action.help or "",
        kind="flag" if action.nargs == 0 else kind,
        words=words,
        is_optional=bool(action.option_strings) or action.nargs == "?",
        is_repeatable=action.nargs == "+" or type(action).__name__ == "_AppendAction",
    )
