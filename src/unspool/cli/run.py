"""A command's name -> its module, run; errors -> one sentence and an exit code."""

import shlex
import sys
from importlib import import_module
from itertools import pairwise

from unspool.errors import Ambiguous, NotFound, UnspoolError
from unspool.show import safe

COMMANDS = (
    "serve", "ls", "show", "top", "tail", "cost", "search", "export", "sql", "index",
    "hooks", "statusline", "doctor", "gen",
)  # fmt: skip
FAILED, USAGE, MISSING = 1, 2, 3
# What follows these is a file, whatever its name.
_NAMES = ("--root", "--cert", "--key")


def run(args: list[str]) -> int:
    """Run the named command; without a name, the one that greets."""
    name, rest = (args[0], args[1:]) if args and not args[0].startswith("-") else ("home", args)
    if name not in (*COMMANDS, "home"):
        known = ", ".join(COMMANDS)
        return _fail(
            f"There is no command {name!r}. There are: {known}. See unspool --help.", USAGE
        )
    if name == "home" and (at := _command_at(args)):
        right = shlex.join(["unspool", args[at], *args[:at], *args[at + 1 :]])
        return _fail(f"Options go after the command: {right}", USAGE)
    try:
        code: int = import_module(f"unspool.cli.{name}").run(rest)
        return code
    except SystemExit as leaving:  # argparse has said what was wrong
        return leaving.code if isinstance(leaving.code, int) else FAILED
    except Ambiguous as error:
        return _fail("\n  ".join([str(error), *error.candidates]), USAGE)
    except NotFound as error:
        return _fail(str(error), MISSING)
    except UnspoolError as error:
        return _fail(str(error), FAILED)
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except OSError as error:
        return _fail(f"{error.strerror or error}: {error.filename or 'the output'}", FAILED)


def _command_at(args: list[str]) -> int:
    """Where a command stands behind options; 0 where none does."""
    pairs = enumerate(pairwise(args), 1)
    return next((at for at, (before, arg) in pairs if arg in COMMANDS and before not in _NAMES), 0)


def _fail(said: str, code: int) -> int:
    first, *others = safe.lines(said)
    print("\n".join([f"unspool: {first}", *others]), file=sys.stderr)
    return code
