"""A command's name -> its module, run; errors -> one sentence and an exit code."""

import sys
from importlib import import_module

from unspool.errors import Ambiguous, NotFound, UnspoolError
from unspool.show import safe

COMMANDS = (
    "serve", "ls", "show", "top", "tail", "cost", "search", "export", "sql", "index",
    "hooks", "statusline", "doctor", "gen",
)  # fmt: skip
FAILED, USAGE, MISSING = 1, 2, 3


def run(args: list[str]) -> int:
    """Run the named command; without a name, the one that greets."""
    _never_choke()
    name, rest = (args[0], args[1:]) if args and not args[0].startswith("-") else ("home", args)
    if name not in (*COMMANDS, "home"):
        known = ", ".join(COMMANDS)
        return _fail(
            f"There is no command {name!r}. There are: {known}. See unspool --help.", USAGE
        )
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


def _never_choke() -> None:
    """A terminal that lacks a character shows another; it is no reason to stop."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _fail(said: str, code: int) -> int:
    first, *others = safe.lines(said)
    print("\n".join([f"unspool: {first}", *others]), file=sys.stderr)
    return code
